#include "views/parts/data_state.hpp"

#include "views/data/format.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {

bool draw_data_state(Context& context, bool in_full) {
  const WindowData& data = context.data;
  if (!in_full && (!data.shown || data.shown->rows.empty())) {
    const bool measuring = measures_here(data.run, data);
    if (!measuring && data.problem.empty() && !data.loading && !data.shown) {
      empty_state(context, "The first measurement appears here.", {{"Run", ask::Run{}, false}});
    } else {
      empty_state(context, measuring               ? "The first measurement is being taken."
                           : !data.problem.empty() ? sentence(data.problem)
                           : data.loading          ? "Reading the database ..."
                                                   : "The shown sweep holds no measurements.");
    }
    return false;
  }
  if (!data.problem.empty()) {
    empty_state(context, sentence(data.problem), {{"Open another database...", ask::OpenDatabase{}}});
    return false;
  }
  if (data.shown && !data.shown->rows.empty()) return true;
  if (data.loading) {
    empty_state(context, "Reading the database ...");
  } else if (measures_here(data.run, data)) {
    empty_state(context, "Measuring. The first result appears here in a moment.");
  } else if (data.sweeps.empty()) {
    if (data.recorded_database.empty()) {
      empty_state(context, "Nothing has been measured yet. Run measures what the sweep setup on the left says.",
                  {{"Run", ask::Run{}}});
    } else {
      empty_state(context,
                  "Nothing has been measured yet. Run measures what the sweep setup on the left says; you can also "
                  "look at a recording "
                  "from an H200.",
                  {{"Run", ask::Run{}}, {"Open the recorded H200 database", ask::OpenRecorded{}, false}});
    }
  } else if (data.shown && data.shown->info.finished.empty() && !data.read_only) {
    empty_state(context, "This sweep holds no measurements: it was stopped before the first one was done.",
                {{"Resume it", ask::Resume{}}});
  } else {
    empty_state(context, "This sweep holds no measurements.");
  }
  return false;
}

}  // namespace triscope
