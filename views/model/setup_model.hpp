// The form that describes the next sweep, without its pixels.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/plan/request.hpp"
#include "profiler/record/catalog.hpp"

namespace triscope {

struct KernelLibrary;
struct PlanPreview;

/// What the user typed and clicked. Lists are text, so that half-typed input survives; `read_form` parses them.
struct SetupForm {
  bool trilinear = true, determinant = false;
  bool forward = true, backward = true;
  bool sustained = true, burst = false;
  std::string batches = "1";
  std::string seq_lens = "2048";
  std::string q_heads = "8";
  std::string kv_heads = "1";
  std::string head_dims = "64";
  std::string sink;   ///< empty = off
  std::string scale;  ///< empty = 1/sqrt(head size)
  bool deterministic = false;
  bool counters = false;                      ///< read hardware counters; only a GPU has them
  std::vector<Windows> windows;               ///< in the order they were chosen
  std::string windows_text;                   ///< the same as text, editable
  std::vector<std::string> excluded_kernels;  ///< kernel ids that are switched off
  std::string device = "auto";
  double precision_percent = 0.5;
  double budget_seconds = 10;
  std::string restarts = "3";
  /// Of a plan for kernels that this computer cannot run: the device that they were measured on, and their ids. Nothing
  /// can be measured before others are chosen. Empty: no such plan.
  std::string needs_device;
  std::vector<std::string> needs_kernels;
  std::map<std::string, std::string> wrong;  ///< why what stands in a field is not what the form says, by field
  bool operator==(const SetupForm&) const = default;
};

/// A form whose sweep takes about a minute on a small CPU, or has the paper's shape on a GPU.
SetupForm default_form(bool gpu);

/// Whether the sweep would run on a GPU.
bool runs_on_gpu(const SetupForm& form, const Catalog* catalog);

/// What to think of before such a sweep is started: "about 59 h 0 min, 22 GB of the device's 24 GB"; empty = nothing,
/// less than an hour and less than four fifths of the memory.
std::string plan_warning(const PlanPreview& preview, const SetupForm& form, const Catalog* catalog);

/// Field name ("seq_lens") -> what is wrong with it, in words a user can act on.
struct FormReading {
  SweepRequest request;
  std::map<std::string, std::string> problems;
  std::int64_t configurations = 0;  ///< windows x shapes x forms x passes x regimes, for one kernel
};
/// `library`: that is open, whose kernels are in `catalog` too; null: none.
FormReading read_form(const SetupForm& form, const Catalog* catalog, const KernelLibrary* library = nullptr);

/// The form that would make `request` again.
SetupForm form_of(const SweepRequest& request, const Catalog* catalog);

/// "1024, 2,048 4k" -> numbers. Throws `Error` (usage) naming the word that is none, or is not positive.
std::vector<std::int64_t> parse_numbers(std::string_view text);

/// The w1 x w2 grid: powers of two on both axes, extended so that it holds every chosen window.
struct WindowGrid {
  std::vector<std::int64_t> axis1, axis2;  ///< ascending
  bool chosen(const SetupForm& form, std::size_t i1, std::size_t i2) const;
};
WindowGrid make_grid(const SetupForm& form);

/// A rectangle of cells, corners in any order, is switched on; or off when `on` is false.
void set_rectangle(SetupForm& form, const WindowGrid& grid, std::array<std::size_t, 2> corner,
                   std::array<std::size_t, 2> opposite, bool on);

/// Windows of about the same area as `windows` on the grid (w1 x w2 equal): a line in the grid.
std::vector<Windows> equal_area(const WindowGrid& grid, Windows windows);

enum class WindowPreset { table1, powers, equal_area, none };
struct PresetText {
  WindowPreset preset;
  const char* label;
  const char* help;
};
std::array<PresetText, 4> window_presets();
void apply_preset(SetupForm& form, WindowPreset preset);

/// Where rows that are to be measured again were measured, and by what.
struct PlannedOn {
  std::string device;                ///< its name
  std::vector<std::string> kernels;  ///< ids
};
/// These kernels alone, on the device of that name, else on one of its kind; where this computer has none, or not these
/// kernels, the form says what it needs.
void plan_on(SetupForm& form, const PlannedOn& on, const Catalog* catalog);
/// These windows in the shape and form of `like`, in these passes by these kernels; the rest of the form stays.
void plan_windows(SetupForm& form, const Problem& like, const std::vector<Windows>& windows,
                  const std::vector<Pass>& passes, const PlannedOn& on, const Catalog* catalog);

/// "512x32, 256x64": keeps `windows` and `windows_text` saying the same.
std::string windows_to_text(const std::vector<Windows>& windows);

}  // namespace triscope
