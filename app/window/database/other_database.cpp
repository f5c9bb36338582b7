#include "app/window/database/other_database.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/window/database/read_sweep.hpp"
#include "kernels/base/error.hpp"

namespace triscope {

std::filesystem::path other_than_open(const std::filesystem::path& file, const std::string& open, const char* refused,
                                      const char* advice) {
  std::filesystem::path whole = std::filesystem::absolute(file).lexically_normal();
  std::error_code missing;  // then it is not the same file
  if (std::filesystem::equivalent(whole, open, missing)) throw Error(refused, "it is the open one", advice);
  return whole;
}

OtherDatabase::OtherDatabase(const std::filesystem::path& file, std::stop_token cancel)
    : file_(file), snapshot_(file, kBusyTimeout, cancel), cancel_(std::move(cancel)) {}

bool OtherDatabase::in_place() const {
  try {
    snapshot_.data_version();
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::shared_ptr<const SweepResults> OtherDatabase::nearest(const SweepResults& ours) {
  std::string to = fmt::format("{}/{}/{}", snapshot_.data_version(), ours.info.uuid, ours.rows.size());
  if (nearest_ && to == nearest_to_) return nearest_;
  nearest_ = sharing_sweep(snapshot_, snapshot_.sweeps(), ours, Sharing::most, cancel_);
  if (!nearest_)
    throw Error(fmt::format("{} was not compared with", file_.filename().string()),
                "none of its sweeps measured a kernel, window and shape of the shown sweep",
                "show another sweep, or choose another database");
  nearest_to_ = std::move(to);
  return nearest_;
}

}  // namespace triscope
