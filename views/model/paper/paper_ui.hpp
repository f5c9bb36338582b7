// What the user has set on the paper's pages.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/paper/algorithm_steps.hpp"
#include "profiler/paper/tile_question.hpp"
#include "views/model/paper/match3_model.hpp"
#include "views/model/paper/own_losses.hpp"
#include "views/model/paper/recipe_model.hpp"
#include "views/model/paper/results_model.hpp"

namespace triscope {

/// In the order of their buttons.
enum class PaperPage {
  table1,
  lengths,
  the_operator,
  tiling,
  steps,
  rotation,
  match3,
  results,
  laws,
  recipe,
  errata,
  count
};

/// "match3": of `--panel paper:match3` and of file names. nullopt: no page is called so.
std::string_view paper_page_id(PaperPage page);
std::optional<PaperPage> find_paper_page(std::string_view id);
/// "Tables 3 and 4 of the paper"; empty: it has no number there.
std::string page_numbers(PaperPage page);

/// Lengths and windows of the operator's page and of the tiles; more would not be seen.
inline constexpr int kLongestSequence = 1 << 20, kWidestWindow = 4096;

struct TilesUi {
  int window1 = 512, window2 = 32, seq_len = 32'768, q_heads = 64, kv_heads = 1, head_dim = 128;
  int query = 20'000;
  std::string use = "paper forward";  ///< `use_key` of the one that is drawn
  bool operator==(const TilesUi&) const = default;
};

struct StepsUi {
  Algorithm algorithm = Algorithm::paper_forward;
  StepSizes sizes;
  std::int64_t step = 0;
  bool playing = false;  ///< it goes on by itself
  int speed = 2;         ///< steps in a second
  double next_at = 0;    ///< when it takes the next one, on the clock of the frames
};

struct OperatorUi {
  int tokens = 32'768, window1 = 512, window2 = 32;
};

inline Windows windows_of(const OperatorUi& ui) { return {ui.window1, ui.window2}; }

struct RotationUi {
  float around = 0, over = 0;  ///< how far the mouse has turned the chunk, in radians
  int i = 40, j = 37, k = 12;  ///< positions of q, k1 and k2
  float angle = 0.1F;          ///< of one position
};

struct PaperUi {
  PaperPage page = PaperPage::table1;
  TilesUi tiles;
  StepsUi steps;
  OperatorUi the_operator;
  RotationUi rotation;
  Match3Ui match3;
  RecipeUi recipe;
  ResultsUi results;
  LossesUi losses;
  std::string errata_kind;  ///< only these are shown; empty: all
};

LayerMixRequest layer_request(const TilesUi& ui);

/// What the windows of the tiling page cost by measured rows, as the layer calculator tells it.
struct WindowsCost {
  std::vector<Problem> to_count;  ///< problems whose tiles it waits for
  std::string text;               ///< empty while it waits, and without rows
};
WindowsCost windows_cost(const std::vector<ResultRow>& rows, const TilesUi& ui, const WorkTable& work = {});

/// What is wrong with the numbers of the tiling page, one sentence; empty: nothing.
std::string tiles_problem(const TilesUi& ui);
/// The question that its numbers ask; nullopt where something is wrong with them.
std::optional<TileQuestion> tiles_question(const TilesUi& ui);
/// "paper forward", "warp pairs", "portable: long axis": an instance of several kernels has one use for each.
std::string use_name(const TileUse& use);
/// Names one of the answer's uses: of kernel, instance, pass and tile.
std::string use_key(const TileUse& use);
/// The one that is drawn: the user's choice, or the first with tiles; null where there is none.
const TileUse* shown_use(const TilesUi& ui, const std::vector<TileUse>& uses);

/// Every use of an answer, to be copied.
TextTable tiles_text(const TileAnswer& answer);

/// The errata of a kind, or all, to be copied.
TextTable errata_text(const std::string& kind);

/// Plays from the step that stands, from the beginning where that is the last of `count`; stops where it plays.
void toggle_play(StepsUi& ui, std::int64_t count, double now);
/// Takes the step that is due at `now`, in seconds, and stops at the last of `count`. True: it took one.
bool play_on(StepsUi& ui, std::int64_t count, double now);

/// The step with which the next, or the one before, of the programs begins.
std::int64_t next_program(const AlgorithmSteps& run, std::int64_t step, bool forwards);

}  // namespace triscope
