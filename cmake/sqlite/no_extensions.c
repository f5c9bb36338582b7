/* The amalgamation in the sdist of sqlean.py (cmake/sqlite.requirements.txt) ends with a function that registers that
   package's own extensions. Nobody calls it, but it names this one, which is in none of the files that we compile. */
int sqlite3_sqlean_init(void* database, char** error, const void* api) {
  (void)database, (void)error, (void)api;
  return 0;
}
