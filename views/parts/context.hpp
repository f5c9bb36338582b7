// What a panel is given: how things look, the data, the user's state, models made from the data, and where to put
// requests.
#pragma once

#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "views/data/window_data.hpp"
#include "views/model/models.hpp"
#include "views/model/ui_state.hpp"
#include "views/parts/theme.hpp"

namespace triscope {

struct Context {
  const Look& look;
  const WindowData& data;
  UiState& ui;
  Models& models;
  std::vector<Request>& requests;
  std::int64_t now = 0;  ///< unix seconds, for "today 14:02"

  void request(Request asked) { requests.push_back(std::move(asked)); }
};

}  // namespace triscope
