#include "app/window/engine/engine.hpp"

#include <map>

#include "profiler/plan/plan.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/supervise/supervisor.hpp"
#include "profiler/supervise/worker_jobs.hpp"
#include "profiler/sweep/measurer.hpp"
#include "profiler/tiles/ask_tiles.hpp"

namespace triscope {
namespace {

PlanPreview make_preview(const SweepRequest& request, const Catalog& catalog, std::stop_token closing) {
  const SweepRequest full = with_defaults(request, choose_device(catalog, request.device));
  WorkerOptions options;
  options.closing = std::move(closing);
  options.plugin = request.plugin;
  options.plugin_sha256 = request.plugin_sha256;
  Supervisor worker(worker_for(std::move(options), catalog, full.device));
  const Plan plan = make_plan(full, catalog, [&](const std::vector<SupportQuestion>& questions) {
    return ask_support(worker, catalog, full.plugin, questions);
  });
  const Device& device = choose_device(catalog, full.device);
  const Estimate needed = estimate(plan, full, device, load_here(full, device));
  PlanPreview preview;
  preview.measurements = plan.total() - static_cast<std::int64_t>(plan.skipped.size());
  preview.skipped = static_cast<std::int64_t>(plan.skipped.size());
  preview.seconds = needed.seconds;
  preview.bytes = needed.bytes;
  for (const SkippedEntry& skipped : plan.skipped) preview.unable.emplace(skipped.entry.key.kernel, skipped.reason);
  // A kernel that can run something is able.
  for (const PlanGroup& group : plan.groups) {
    for (const PlanEntry& entry : group.entries) preview.unable.erase(entry.key.kernel);
  }
  return preview;
}

std::optional<OpenedLibrary> open_library(const std::filesystem::path& file, const std::string& known_hash,
                                          std::stop_token closing) {
  SweepRequest named;
  named.plugin = file;
  named = with_absolute_files(std::move(named));
  if (named.plugin_sha256 == known_hash) return std::nullopt;
  WorkerOptions options;
  options.closing = std::move(closing);
  options.plugin = named.plugin;
  options.plugin_sha256 = named.plugin_sha256;
  const auto catalog = std::make_shared<const Catalog>(query_catalog(options));
  OpenedLibrary opened{{named.plugin.string(), named.plugin_sha256, {}}, catalog};
  for (const KernelInfo& kernel : catalog->kernels) {
    if (kernel.library == opened.library.file) opened.library.kernels.push_back(kernel.id);
  }
  return opened;
}

}  // namespace

Engine real_engine() {
  std::stop_source closing;
  const std::stop_token closes = closing.get_token();
  return {
      [closes] {
        WorkerOptions options;
        options.closing = closes;
        return std::make_shared<const Catalog>(query_catalog(options));
      },
      [closes](const SweepRequest& request, const Catalog& catalog) { return make_preview(request, catalog, closes); },
      [closes](const SweepRequest& request, const std::filesystem::path& database, SweepObserver observer,
               std::stop_token stop, std::optional<std::int64_t> resume) {
        observer.closing = closes;
        return run_sweep(request, database, observer, stop, resume);
      },
      [closes](const std::string& device) {
        WorkerOptions options;
        options.closing = closes;
        options.device = device;
        if (device != "cpu") options.mode = "events";
        return Supervisor(std::move(options));
      },
      [closes](const TileQuestion& question, const TileAnswer* before) { return ask_tiles(question, before, closes); },
      [closes](const std::vector<Problem>& problems) { return ask_work(problems, closes); },
      closing,
      [closes](const std::filesystem::path& file, const std::string& known_hash) {
        return open_library(file, known_hash, closes);
      },
  };
}

}  // namespace triscope
