// What `Snapshot::measurement` throws where only the one measurement is to blame, and not the file.
#pragma once

#include "kernels/base/error.hpp"

namespace triscope {

/// A row of a database, or what belongs to it, cannot be used; `why` says what of it.
class UnusableMeasurement : public Error {
 public:
  using Error::Error;
};

}  // namespace triscope
