// Keeps the attention panel supplied: opens its sources and asks for what it shows and has not got.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/window/attention/inspector.hpp"
#include "app/window/engine/engine.hpp"
#include "app/window/messages/messages.hpp"
#include "profiler/film/film.hpp"
#include "views/model/attention/attention_model.hpp"
#include "views/parts/theme.hpp"

namespace triscope {

/// Answers for `AttentionData`. Slices have one worker, what takes longer (overviews, sheets of heads, grids) another,
/// means over queries, a search and a film one each, so that scrubbing never waits for them. Lives on the drawing
/// thread.
class AttentionSession {
 public:
  /// `machine` says which devices there are, and whether a sweep is measured.
  AttentionSession(AttentionData& data, AttentionUi& ui, const MeasuringData& machine, const Engine& engine,
                   Messages& messages, UiQueue& queue)
      : data_(data),
        ui_(ui),
        machine_(machine),
        messages_(messages),
        queue_(queue),
        slices_(engine, messages, queue),
        surveys_(engine, messages, queue),
        means_(engine, messages, queue),
        searches_(engine, messages, queue),
        films_(engine, messages, queue) {}

  /// Asks for what the panel shows and has not got.
  void supply();
  /// Searches all queries and heads as the panel is set, in place of a search that runs. Throws `Error` while no
  /// tensors are open or a sweep is measured.
  void find_triples();
  /// Keeps what was found so far.
  void stop_search();
  /// Makes a film of A as the panel is set in `folder`. `refused` is told, on the drawing thread, why the folder cannot
  /// hold one; everything else stands in a notice. Throws `Error` while no tensors are open, another film is made or a
  /// sweep is measured.
  void make_film(const std::filesystem::path& folder, const FilmQueries& queries, AttentionModel& model,
                 const Theme& theme, std::function<void(const std::string& why)> refused);
  /// Keeps the pictures that are there.
  void stop_film();
  /// Ends the means that are made, also those at wider windows; they are made when asked for again.
  void stop_means();
  /// Asks again for what failed or was stopped.
  void ask_again();
  /// Ends what takes all CPUs or the GPU, until the sweep that is measured has ended.
  void pause_surveys();
  /// What writes the shown slice, or the difference of the two, to `file`, on another thread. Throws `Error` when
  /// nothing is shown or the ending names no format.
  std::function<void()> slice_writer(const std::filesystem::path& file, AttentionModel& model,
                                     const Theme& theme) const;
  /// At the end: drops all questions and ends the workers.
  void end();
  bool idle() const { return slices_.idle() && surveys_.idle() && means_.idle() && searches_.idle() && films_.idle(); }

 private:
  void choose_device();
  /// Drops what was asked of overviews, sheets, grids and means: what is still wanted is asked for again.
  void forget_surveys();
  /// On the search's thread; tells how far it is.
  std::vector<FoundTriple> find_triples_of(Supervisor& worker, const TripleSearchRequest& request,
                                           const SourceReply& shape, const std::stop_token& stop);
  /// On the film's thread; tells how far it is, and at the end what is there. Returns why the folder cannot hold it.
  std::string write_film(Supervisor& worker, const FilmRequest& request, const std::filesystem::path& folder,
                         const std::stop_token& stop);
  void supply_source(int which);
  void supply_draft();
  /// `place` is part of `data_`.
  void ask_source(OpenedSource& place, const AttentionSource& source, const std::string& slot);
  void ask_slice(int which);
  void supply_surveys();
  /// Those of what is shown, or at wider windows.
  void supply_means(MeansSurvey AttentionData::*place, const std::optional<OverviewRequest>& wanted,
                    const std::string& slot);
  /// On the means' thread; tells how far they are.
  MeanMaps find_means_of(Supervisor& worker, const OverviewRequest& request, MeansSurvey AttentionData::*place,
                         const std::stop_token& stop);
  void supply_grid();
  /// Asks for the heads of the first query of the grid that are not there.
  void ask_grid_row();
  template <typename Request, typename Answer>
  void ask_survey(Survey<Request, Answer> AttentionData::*place, const std::optional<Request>& wanted,
                  Answer (Supervisor::*ask)(const Request&, std::stop_token));
  template <typename Answer, typename Ask, typename Take>
  void inspect(Inspector& inspector, const std::string& slot, Ask ask, Take take);

  AttentionData& data_;
  AttentionUi& ui_;
  const MeasuringData& machine_;
  std::string device_ = "cpu";  ///< for which everything was asked
  Messages& messages_;
  UiQueue& queue_;
  Inspector slices_, surveys_, means_, searches_, films_;
};

}  // namespace triscope
