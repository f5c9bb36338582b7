// A database that was not there before: what is made of it goes again where it cannot be used.
#pragma once

#include <filesystem>
#include <memory>

#include "kernels/base/files/made_folder.hpp"

namespace triscope {

class MadeDatabase {
 public:
  /// Before `file` is opened; `folder` is what was made for it.
  MadeDatabase(std::filesystem::path file, std::unique_ptr<MadeFolder> folder);
  /// Unless it is kept: removes `file`, where it was not there and holds nothing yet, with what lies beside it and the
  /// folders that were made for it. No connection of this process may be open on it. One that another program has open,
  /// or has made a database, stays.
  ~MadeDatabase();
  MadeDatabase(const MadeDatabase&) = delete;
  MadeDatabase& operator=(const MadeDatabase&) = delete;

  /// Its tables were made here: without a sweep in them it is still nobody else's.
  void has_tables() { has_tables_ = true; }
  void keep() { kept_ = true; }
  void give_up() { kept_ = false; }

 private:
  std::filesystem::path file_;
  std::unique_ptr<MadeFolder> folder_;
  bool was_there_, has_tables_ = false, kept_ = false;
};

}  // namespace triscope
