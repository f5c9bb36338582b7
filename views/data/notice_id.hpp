// Which notices there are.
#pragma once

namespace triscope {

/// What a notice is about; a newer one replaces an older one that is about the same.
enum class NoticeId {
  request,         ///< what was asked for cannot be done
  background,      ///< a background task failed
  machine,         ///< devices and kernels cannot be listed
  settings,        ///< they cannot be read or kept
  open,            ///< a database cannot be opened
  database,        ///< the open one cannot be read, or is gone
  other_database,  ///< another one cannot be compared with
  compared,        ///< the sweep has none before it to be compared with
  reference,       ///< what rows stand beside is gone
  versions,        ///< no versions of a kernel can be compared
  database_copy,   ///< it was not copied
  write,           ///< something was not written into it
  import,          ///< measurements were copied from another one
  recorded_offer,  ///< the shipped recording can be looked at
  recorded_shown,  ///< it is what is shown
  resume,          ///< an interrupted sweep
  sweep,           ///< an error ended the sweep
  unstored,        ///< what a sweep measures waits for the database, which is full or locked
  kernel,          ///< a library of kernels that was opened has changed, or cannot be used any more
  first_sweep,     ///< a sweep runs that nobody asked for
  delete_sweep,    ///< one that is measured is not deleted
  undo,            ///< what was done can be taken back
  saved,           ///< a file was saved, or was not
  nothing_to_copy,
  picture,  ///< one was not made
};

}  // namespace triscope
