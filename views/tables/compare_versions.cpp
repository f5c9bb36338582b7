#include "views/tables/compare_versions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "views/data/format.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

/// "63ca6c (24 Nov 10:12 to 25 Nov 09:01)": with the hours between which it was measured.
std::string version_text(const KernelVersion& version, std::int64_t now) {
  const std::string first = format_started(version.first, now), last = format_started(version.last, now);
  return fmt::format("{} ({})", short_hash(version.hash), first == last ? first : first + " to " + last);
}

/// "Hopper forward".
std::string heading_text(const VersionChange& change) {
  return fmt::format("{} {}", change.label, to_string(change.choice.pass));
}

/// Those of one kernel and pass together, of them those of the newest version first.
std::vector<const VersionChange*> changes_in_order(const std::vector<VersionChange>& changes) {
  std::vector<const VersionChange*> order;
  for (const VersionChange& change : changes) order.push_back(&change);
  std::ranges::stable_sort(order, [](const VersionChange* a, const VersionChange* b) {
    if (a->label != b->label) return a->label < b->label;
    if (a->choice.pass != b->choice.pass) return a->choice.pass < b->choice.pass;
    return std::tie(a->after.first, a->before.first) > std::tie(b->after.first, b->before.first);
  });
  return order;
}

/// "Hopper forward: A 2c6a73 (25 Nov 09:01, newest) beside B 63ca6c (24 Nov 10:12), 34 shared", in the order of the
/// table and of "A / B"; below a heading without the name.
std::string change_text(const VersionChange& change, bool newest, bool named, std::int64_t now) {
  std::string after = version_text(change.after, now);
  if (newest) after.insert(after.size() - 1, ", newest");
  const std::string text =
      fmt::format("A {} beside B {}, {} shared", after, version_text(change.before, now), change.shared);
  return named ? fmt::format("{}: {}", heading_text(change), text) : text;
}

}  // namespace

void draw_versions(Context& context, float beside) {
  const VersionChoice& chosen = context.data.versions;
  const auto is_chosen = [&](const VersionChange& change) {
    return change.choice.kernel == chosen.kernel && change.choice.pass == chosen.pass &&
           change.choice.before.starts_with(chosen.before) && change.choice.after.starts_with(chosen.after);
  };
  std::vector<const VersionChange*> changes = changes_in_order(context.data.changes);
  const auto is_newest = [&](const VersionChange& change) {
    return std::ranges::none_of(changes, [&](const VersionChange* other) {
      return other->choice.kernel == change.choice.kernel && other->choice.pass == change.choice.pass &&
             other->after.first > change.after.first;
    });
  };
  std::string shown;
  float widest = 0;
  for (const VersionChange* change : changes) {
    const std::string text = change_text(*change, is_newest(*change), true, context.now);
    widest = std::max(widest, button_width(text.c_str()));  // the box is as wide whichever is shown
    if (is_chosen(*change)) shown = text;
  }
  if (context.ui.printing) return muted_text(context, shown);
  const float wanted = widest + ImGui::GetFrameHeight();
  ImGui::SetNextItemWidth(std::min(ImGui::GetContentRegionAvail().x - beside, std::max(context.look.px(320), wanted)));
  if (!ImGui::BeginCombo("##versions", shown.c_str(), ImGuiComboFlags_HeightLarge)) return tooltip(context, shown);
  std::string heading;
  for (const VersionChange* change : changes) {
    if (std::string name = heading_text(*change); name != heading) muted_text(context, heading = std::move(name));
    const std::string text = change_text(*change, is_newest(*change), false, context.now);
    ImGui::PushID(change);
    if (ImGui::Selectable(("  " + text).c_str(), is_chosen(*change)))
      context.request(ask::CompareVersions{change->choice});
    if (is_chosen(*change) && ImGui::IsWindowAppearing()) ImGui::SetScrollHereY();
    ImGui::PopID();
  }
  ImGui::EndCombo();
}

}  // namespace triscope
