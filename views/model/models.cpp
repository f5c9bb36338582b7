#include "views/model/models.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "kernels/paper/run_algorithm.hpp"
#include "views/model/charts/length_budget.hpp"
#include "views/model/charts/step_model.hpp"
#include "views/model/tables/compare_model.hpp"

namespace triscope {

void Models::refresh(const WindowData& data) {
  if (revision_ == data.revision) return;
  revision_ = data.revision;
  maker.let_go(std::move(compare_));
  compare_.reset();
  // While a sweep streams its samples, the table of another one stays, with all that is made of it.
  if (!latency_ || !data.table.is_of(data) || data.table.model != latency_) forget_table();
  if (std::exchange(database_, data.database) == data.database) return;
  maker.forget(lengths_without_);
  maker.forget(lengths_said_);
  maker.forget(without_said_);
  drawn_lengths_.reset();
  drawn_without_.reset();
  maker.forget(lengths_);  // what was made of another file does not stand for this one
  maker.forget(step_table_);
  maker.forget(paper_);
  maker.forget(device_rows_);
  maker.forget(counted_);
  maker.forget(recipe_);
  maker.forget(crossings_);
  maker.forget(windows_cost_);
  order_.reset();
  maker.forget(filter_texts_);
}

void Models::forget_table() {
  maker.let_go(std::move(latency_));
  latency_.reset();
  settings_.reset();
  bars_.clear();
  scaling_.clear();
  maps_.clear();
  map_choices_.reset();
  if (order_) order_->of_old_rows = true;
}

namespace {

std::size_t count_device_rows(const WindowData& data) {
  std::size_t count = data.shown ? data.shown->rows.size() : 0;
  for (const auto& other : data.same_device) count += other->rows.size();
  return count;
}

/// What `rows_on_device` reads.
DatabaseData sweeps_of_device(const WindowData& data) {
  DatabaseData sweeps;
  sweeps.shown = data.shown;
  sweeps.same_device = data.same_device;
  return sweeps;
}

}  // namespace

const LatencyModel* Models::latency(const WindowData& data) {
  refresh(data);
  if (!data.shown) return nullptr;
  if (!latency_ && data.table.is_of(data)) latency_ = data.table.model;
  if (!latency_)
    latency_ = std::make_shared<const LatencyModel>(
        make_latency_model(*data.shown, data.against_baseline.get(), data.beside_reference.get()));
  return latency_.get();
}

const std::vector<ChartSetting>& Models::settings(const WindowData& data) {
  const LatencyModel* model = latency(data);
  if (!settings_) settings_ = model ? chart_settings(*model) : std::vector<ChartSetting>{};
  return *settings_;
}

const BarChart* Models::bars(const WindowData& data, std::size_t setting) {
  if (setting >= settings(data).size()) return nullptr;
  const auto found = bars_.find(setting);
  return found != bars_.end()
             ? &found->second
             : &bars_.emplace(setting, make_bar_chart(*latency(data), settings(data)[setting])).first->second;
}

const LatencyModel* Models::step_table(const WindowData& data) {
  if (!latency(data)) return nullptr;
  const std::int64_t sweep = data.shown->info.id;
  if (std::exchange(step_sweep_, sweep) != sweep) maker.forget(step_table_);  // those are of other windows
  if (step_table_.of != revision_ || step_table_.answer.get() != drawn_steps_) {
    const LatencyModel* found = maker.answer(step_table_, "steps", revision_, count_device_rows(data),
                                             [table = latency_, shown = data.shown, others = data.same_device] {
                                               return make_step_model(*table, *shown, others);
                                             });
    if (std::exchange(drawn_steps_, found) != found) {  // they have come, or those of another sweep are being made
      scaling_.clear();
      maps_.clear();
      map_choices_.reset();
    }
  }
  return drawn_steps_ && !drawn_steps_->lines.empty() ? drawn_steps_ : nullptr;
}

const ScalingChart* Models::scaling(const WindowData& data, std::size_t setting) {
  const LatencyModel* of_steps = step_table(data);
  if (setting >= settings(data).size()) return nullptr;
  if (const auto found = scaling_.find(setting); found != scaling_.end()) return &found->second;
  ScalingChart chart = make_scaling_chart(*latency(data), settings(data)[setting]);
  if (of_steps) add_steps(chart, *of_steps, settings(data)[setting]);
  return &scaling_.emplace(setting, std::move(chart)).first->second;
}

std::shared_ptr<const LengthChart> Models::said(SaidLengths& model, const char* name,
                                                const std::shared_ptr<const LengthChart>& of, const WindowData& data) {
  constexpr std::size_t kReadsSamples = std::numeric_limits<std::size_t>::max();  // never on the drawing thread
  if (!of || !data.compare_pairs) return of;
  maker.answer(model, name, of, kReadsSamples, [of, compare = data.compare_pairs] {
    LengthChart chart = *of;
    say_beside(chart, compare);
    return chart;
  });
  return model.of == of ? model.answer : of;
}

const LengthChart* Models::lengths(const WindowData& data) {
  refresh(data);
  if (!data.shown) return nullptr;
  maker.answer(lengths_, "lengths", revision_, count_device_rows(data),
               [shown = data.shown, same_device = data.same_device,
                reference = data.beside_reference ? data.beside_reference->baseline : "auto"] {
                 return make_length_chart(*shown, same_device, reference);
               });
  drawn_lengths_ = said(lengths_said_, "lengths said", lengths_.answer, data);
  return drawn_lengths_.get();
}

const LengthChart* Models::lengths_without(const WindowData& data, const std::set<std::string>& labels) {
  const LengthChart* whole = lengths(data);
  if (labels.empty()) maker.forget(lengths_without_);
  if (labels.empty()) maker.forget(without_said_);
  if (!whole || labels.empty()) return whole;
  maker.answer(lengths_without_, "lengths without", std::pair(drawn_lengths_, labels), count_device_rows(data),
               [of = drawn_lengths_, labels] {
                 LengthChart chart = without_curves(*of, labels);
                 say_beside(chart, {});  // what is known of the whole
                 return chart;
               });
  drawn_without_ = said(without_said_, "lengths without said", lengths_without_.answer, data);
  return drawn_without_ && drawn_without_->sweep == whole->sweep ? drawn_without_.get() : whole;
}

const std::vector<Series>& Models::map_choices(const WindowData& data) {
  const LatencyModel *model = latency(data), *of_steps = step_table(data);
  if (map_choices_) return *map_choices_;
  map_choices_ = model ? ::triscope::map_series(*model) : std::vector<Series>{};
  if (of_steps) std::ranges::move(::triscope::map_series(*of_steps), std::back_inserter(*map_choices_));
  return *map_choices_;
}

const WindowMap* Models::map(const WindowData& data, std::size_t setting, const std::optional<Series>& chosen,
                             MapMetric metric) {
  const Series* series = chosen_series(map_choices(data), chosen);
  if (!series || setting >= settings(data).size()) return nullptr;
  const auto [found, missing] = maps_.try_emplace({setting, series, metric});
  if (missing)
    found->second =
        make_window_map(series->step ? *step_table(data) : *latency(data), settings(data)[setting], *series, metric);
  return &found->second;
}

const PaperModel* Models::paper(const WindowData& data) {
  refresh(data);
  if (!data.shown) return nullptr;
  return maker.answer(paper_, "paper", revision_, count_device_rows(data), [sweeps = sweeps_of_device(data)] {
    return make_paper_model(rows_on_device(sweeps), sweeps.shown->info.environment.device_name);
  });
}

const CompareModel* Models::compare(const WindowData& data, std::int64_t now) {
  refresh(data);
  if (data.compared.size() < 2) return nullptr;
  if (!compare_) compare_ = data.compare_table;
  if (!compare_) compare_ = std::make_shared<const CompareModel>(make_compare_model(data.compared, now));
  return compare_.get();
}

const CountedElsewhere* Models::counted_elsewhere(const WindowData& data) {
  refresh(data);
  if (!data.selected || !data.beside) return nullptr;
  const std::pair pair{data.selected->row.measurement, data.beside->of->row.measurement};
  const CountedElsewhere* found = maker.answer(counted_, "counted", std::pair(revision_, pair), count_device_rows(data),
                                               [sweeps = sweeps_of_device(data), a = data.selected,
                                                b = data.beside->of] { return find_counted(sweeps, a->row, b->row); });
  return found && counted_.of->second == pair ? found : nullptr;  // while a sweep streams rows, that of before
}

const SampleChart* Models::samples(const WindowData& data) {
  if (!data.selected) return nullptr;
  if (sampled_ != data.selected) {
    sampled_ = data.selected;
    samples_ = make_sample_chart(sampled_->measurement.samples);
  }
  return &samples_;
}

const AlgorithmSteps& Models::steps(Algorithm algorithm, const StepSizes& sizes) {
  if (!steps_ || steps_->algorithm != algorithm || steps_->sizes != clamped(sizes))
    steps_ = run_algorithm(algorithm, sizes);
  return *steps_;
}

const Match3Shown* Models::match3(const Match3Fields& fields) {
  constexpr std::size_t kAsManyRows = 100'000;  // it searches a head: that costs as much
  return maker.answer(match3_, "match3", fields, kAsManyRows,
                      [fields, before = match3_.answer] { return find_shown(fields, before.get()); });
}

const DeviceRows* Models::device_rows(const WindowData& data) {
  refresh(data);
  const DeviceRows* rows =
      maker.answer(device_rows_, "device rows", revision_, count_device_rows(data),
                   [sweeps = sweeps_of_device(data)] { return make_device_rows(rows_on_device(sweeps)); });
  return rows;
}

const RecipeAnswer* Models::recipe(const WindowData& data, const RecipeUi& ui) {
  if (!device_rows(data)) return nullptr;
  const std::shared_ptr<const DeviceRows>& rows = device_rows_.answer;
  return maker.answer(recipe_, "recipe", OfRows<RecipeUi>{rows, data.work.table, ui}, rows->rows.size(),
                      [rows, ui, work = data.work.table] { return make_recipe_answer(rows->rows, ui, *work); });
}

const OperatorCrossings* Models::crossings(const WindowData& data, const Windows& windows) {
  if (!device_rows(data)) return nullptr;
  const std::shared_ptr<const DeviceRows>& rows = device_rows_.answer;
  const OperatorCrossings* found =
      maker.answer(crossings_, "crossings", OfRows<Windows>{rows, data.work.table, windows}, rows->rows.size(),
                   [rows, windows, work = data.work.table] { return operator_crossings(rows->rows, windows, *work); });
  return crossings_.waits() ? nullptr : found;
}

const WindowsCost* Models::windows_cost(const WindowData& data, const TilesUi& ui) {
  if (!device_rows(data)) return nullptr;
  const std::shared_ptr<const DeviceRows>& rows = device_rows_.answer;
  const WindowsCost* cost = maker.answer(
      windows_cost_, "windows", OfRows<LayerMixRequest>{rows, data.work.table, layer_request(ui)}, rows->rows.size(),
      [rows, ui, work = data.work.table] { return ::triscope::windows_cost(rows->rows, ui, *work); });
  return windows_cost_.waits() ? nullptr : cost;
}

const std::vector<Recomputed>& Models::recomputed(const ModelSizes& sizes) {
  if (!recomputed_ || recomputed_->first != sizes) recomputed_ = {sizes, recompute_tables(sizes)};
  return recomputed_->second;
}

const OwnLosses& Models::own_losses(const LossesUi& ui) {
  if (!losses_ || losses_edits_ != ui.edits) {
    losses_edits_ = ui.edits;
    losses_ = make_own_losses(ui.text);
  }
  return *losses_;
}

const std::vector<std::size_t>& Models::order(const WindowData& data, const std::string& filter,
                                              const std::string& sort_column, bool descending) {
  static const std::vector<std::size_t> none;
  const LatencyModel* model = latency(data);
  if (!model) return none;
  const bool known = order_ && !order_->of_old_rows && order_->filter == filter && order_->sort_column == sort_column &&
                     order_->descending == descending;
  if (known) return order_->lines;
  static const std::vector<std::string> no_texts;
  const std::vector<std::string>* texts = &no_texts;
  if (filter.empty()) {
    maker.forget(filter_texts_);
  } else {
    texts = maker.answer(filter_texts_, "filter", latency_, data.shown->rows.size(),
                         [shown = latency_] { return filter_texts(*shown); });
    if (filter_texts_.waits()) {  // what stood stays, as far as there are such lines
      if (!order_) order_ = Order{"", "", false, arrange(*model, "", std::nullopt), true};
      std::erase_if(order_->lines, [&](std::size_t line) { return line >= model->lines.size(); });
      return order_->lines;
    }
  }
  std::optional<LatencySort> sort;
  for (LatencyColumn& column : latency_columns(*model)) {
    if (!sort_column.empty() && column.id == sort_column) sort = LatencySort{std::move(column), descending};
  }
  order_ = Order{filter, sort_column, descending, arrange(*model, filter, sort, *texts)};
  return order_->lines;
}

}  // namespace triscope
