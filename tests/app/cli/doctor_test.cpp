// The doctor's rules over facts made up here: each loss is named, with what to do, and only a real one breaks.
#include "app/cli/doctor/doctor.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

SystemFacts healthy() {
  SystemFacts facts;
  facts.catalog = Catalog{};
  facts.catalog->devices = {{.id = "0", .kind = DeviceKind::cuda, .name = "Some GPU"},
                            {.id = "cpu", .name = "Some CPU"}};
  facts.database = "/data/results.db";
  facts.database_exists = facts.database_writable = true;
  facts.free_bytes = std::int64_t{100} << 30;
  facts.cpu_model = "Some CPU";
  facts.has_avx2 = facts.has_fma = facts.has_avx512 = true;
  facts.cpus_online = facts.cpus_allowed = 8;
  facts.nvidia_device_on_pci = true;
  facts.nvidia_driver_version = "580.95.05";
  facts.nvidia_smi_on_path = facts.libcuda_in_loader_cache = facts.nvidia_device_nodes = true;
  facts.cuda_build = true;
  facts.cupti_error = facts.counters_error = "";
  facts.display = ":0";
  facts.window_built = true;
  return facts;
}

Finding find(const SystemFacts& facts, const std::string& subject) {
  for (Finding& finding : diagnose(facts)) {
    if (finding.subject == subject) return finding;
  }
  ADD_FAILURE() << "no finding about " << subject;
  return {};
}

TEST(Doctor, finds_nothing_wrong_with_a_healthy_machine) {
  for (const Finding& finding : diagnose(healthy())) {
    EXPECT_EQ(finding.health, Health::works) << finding.subject << ": " << finding.found;
    EXPECT_THAT(finding.advice, IsEmpty()) << finding.subject;
  }
}

TEST(Doctor, a_machine_without_gpu_and_display_is_not_broken) {
  SystemFacts facts = healthy();
  facts.nvidia_device_on_pci = facts.libcuda_in_loader_cache = facts.nvidia_device_nodes = facts.cuda_build = false;
  facts.cupti_error.reset();
  facts.counters_error.reset();
  facts.nvidia_driver_version.clear();
  facts.catalog->devices.erase(facts.catalog->devices.begin());
  facts.display.clear();
  for (const Finding& finding : diagnose(facts)) {
    EXPECT_TRUE(finding.health == Health::works || finding.health == Health::absent)
        << finding.subject << ": " << finding.found;
  }
}

TEST(Doctor, every_finding_that_is_not_well_says_what_to_do) {
  const auto check = [](auto change, const std::string& subject, Health expected) {
    SystemFacts facts = healthy();
    change(facts);
    const Finding finding = find(facts, subject);
    EXPECT_EQ(finding.health, expected) << subject << ": " << finding.found;
    EXPECT_FALSE(finding.advice.empty()) << subject << ": " << finding.found;
  };
  check(
      [](auto& f) {
        f.catalog.reset();
        f.worker_error = "no such file";
      },
      "worker", Health::broken);
  check([](auto& f) { f.database_error = "it is no Triscope database"; }, "database", Health::broken);
  check([](auto& f) { f.database_writable = false; }, "database", Health::limited);
  check([](auto& f) { f.missing_folder = "/data"; }, "database", Health::broken);
  check([](auto& f) { f.database_lock = "another program keeps it locked"; }, "database", Health::broken);
  check([](auto& f) { f.database_writable = f.database_exists = false; }, "database", Health::broken);
  check([](auto& f) { f.free_bytes = 0; }, "disk space", Health::broken);
  check([](auto& f) { f.free_bytes = 1 << 20; }, "disk space", Health::limited);
  check([](auto& f) { f.has_avx2 = false; }, "CPU", Health::limited);
  check([](auto& f) { f.x86 = false; }, "CPU", Health::limited);
  check([](auto& f) { f.omp_num_threads = "16"; }, "threads", Health::limited);
  check([](auto& f) { f.omp_num_threads = "2"; }, "threads", Health::limited);
  check([](auto& f) { f.cpu_quota = 1.5; }, "threads", Health::limited);
  check([](auto& f) { f.nvidia_driver_version.clear(); }, "GPU driver", Health::limited);
  check([](auto& f) { f.libcuda_in_loader_cache = false; }, "GPU driver", Health::limited);
  check([](auto& f) { f.nvidia_device_nodes = false; }, "GPU driver", Health::limited);
  check([](auto& f) { f.cuda_build = false; }, "GPU kernels", Health::limited);
  check([](auto& f) { f.catalog->gpu_problem = "the driver is for CUDA 12.4, Triscope needs 13.0: update it"; }, "GPU",
        Health::limited);
  check([](auto& f) { f.cupti_error = "libcupti.so.13: cannot open shared object file"; }, "CUPTI", Health::limited);
  check([](auto& f) { f.counters_error = "the driver gives hardware counters to administrators only"; }, "counters",
        Health::limited);
  check([](auto& f) { f.window_built = false; }, "window", Health::absent);
  check([](auto& f) { f.display.clear(); }, "window", Health::absent);
}

TEST(Doctor, what_came_in_a_wheel_is_installed_anew_and_not_built) {
  SystemFacts facts = healthy();
  facts.in_wheel = true;
  facts.catalog.reset();
  facts.cuda_build = facts.window_built = facts.checker_built = false;
  for (const char* subject : {"worker", "GPU kernels", "window", "others' files"})
    EXPECT_THAT(find(facts, subject).advice, testing::StartsWith("install ")) << subject;
}

TEST(Doctor, a_quota_above_the_threads_is_no_loss) {
  SystemFacts facts = healthy();
  facts.cpu_quota = 8;
  facts.omp_num_threads = "8";
  EXPECT_EQ(find(facts, "threads").health, Health::works);
}

TEST(Doctor, passes_on_what_a_device_cannot_do) {
  SystemFacts facts = healthy();
  facts.catalog->devices.back().limits = {"its clock cannot be read"};
  EXPECT_THAT(find(facts, "device cpu").found, HasSubstr("clock"));
}

// The sentences themselves are tested where they are made: CUPTI's in profiler, a GPU's in cuda, the baselines' there.
TEST(Doctor, passes_on_what_a_gpu_and_its_profilers_say) {
  SystemFacts facts = healthy();
  facts.catalog->devices.front().limits = {"MIG is on: this is a slice of a GPU"};
  facts.catalog->gpu_problem = "the driver is for CUDA 12.4, Triscope needs 13.0: update it to 580 or later";
  facts.cupti_error = "another profiler is attached to the worker: nsys";
  facts.counters_error = "the driver gives hardware counters to administrators only";
  EXPECT_THAT(find(facts, "device 0").found, HasSubstr("MIG is on"));
  EXPECT_THAT(find(facts, "GPU").found, HasSubstr("update it to 580"));
  EXPECT_THAT(find(facts, "CUPTI").found, HasSubstr("another profiler is attached to the worker: nsys"));
  EXPECT_THAT(find(facts, "counters").found, HasSubstr("administrators only"));
}

TEST(Doctor, says_where_a_baseline_is_and_under_which_licence_or_why_it_is_not) {
  SystemFacts facts = healthy();
  facts.baselines.push_back(
      {{.id = "baseline.fa3", .instances = {"0.3.6"}, .library = "/b/libdew_flash_attn3.so"}, ""});
  facts.baselines.push_back({{.id = "baseline.cudnn", .instances = {"absent"}},
                             "cuDNN cannot be measured: libcudnn.so.9 is not on this machine; install PyTorch"});
  const Finding there = find(facts, "FlashAttention-3"), absent = find(facts, "cuDNN");
  facts.baselines.front().sha256 = "ed43984d";
  EXPECT_THAT(find(facts, "FlashAttention-3").found, HasSubstr("/b/libdew_flash_attn3.so (SHA-256 ed43984d);"));
  EXPECT_EQ(there.health, Health::works);
  EXPECT_EQ(there.found, "version 0.3.6, /b/libdew_flash_attn3.so; BSD-3-Clause AND Apache-2.0");
  EXPECT_EQ(absent.health, Health::absent);
  EXPECT_THAT(absent.found, HasSubstr("install PyTorch"));
  EXPECT_THAT(absent.advice, HasSubstr("NVIDIA's cuDNN licence"));
}

TEST(Doctor, without_a_gpu_it_names_the_recording_and_advises_no_library_that_would_change_nothing) {
  SystemFacts facts = healthy();
  facts.nvidia_driver_version.clear();
  facts.nvidia_device_on_pci = false;
  facts.catalog->devices.erase(facts.catalog->devices.begin());
  facts.recording = "`triscope show 1 --db h200.db` prints what an H200 measured";
  facts.baselines.push_back(
      {{.id = "baseline.cudnn", .instances = {"absent"}},
       "libcudnn.so.9 is not on this machine; run `triscope doctor`, or ./run build --with-cudnn"});
  EXPECT_THAT(find(facts, "GPU driver").advice, HasSubstr("triscope show 1 --db h200.db"));
  const Finding cudnn = find(facts, "cuDNN");
  EXPECT_EQ(cudnn.health, Health::absent);
  EXPECT_THAT(cudnn.found + cudnn.advice,
              testing::Not(testing::AnyOf(HasSubstr("./run"), HasSubstr("triscope doctor"))));
}

TEST(Doctor, says_when_a_strangers_file_is_not_looked_through_with_few_rights) {
  SystemFacts facts = healthy();
  facts.missing_confinement = {"landlock"};
  EXPECT_THAT(find(facts, "others' files").found, HasSubstr("this kernel lacks landlock"));
  facts.checker_built = false;
  EXPECT_THAT(find(facts, "others' files").found, HasSubstr("triscope-check-file, is not here"));
}

TEST(Doctor, reads_the_cpu_flags_as_words) {
  const std::string cpuinfo = "processor\t: 0\nflags\t\t: fpu avx avx512f fma_x avx2\nbugs\t\t: fma\n";
  EXPECT_TRUE(has_cpu_flag(cpuinfo, "avx2"));
  EXPECT_TRUE(has_cpu_flag(cpuinfo, "avx"));
  EXPECT_FALSE(has_cpu_flag(cpuinfo, "avx512"));
  EXPECT_FALSE(has_cpu_flag(cpuinfo, "fma"));
  EXPECT_FALSE(has_cpu_flag("", "avx2"));
}

TEST(Doctor, reads_cgroup_quotas) {
  EXPECT_EQ(parse_cpu_quota("200000 100000\n"), 2.0);
  EXPECT_EQ(parse_cpu_quota("150000 100000"), 1.5);
  for (const char* text : {"max 100000\n", "", "200000", "0 100000", "x y", "200000 0"})
    EXPECT_EQ(parse_cpu_quota(text), std::nullopt) << text;
}

TEST(Doctor, reads_the_driver_version) {
  EXPECT_EQ(
      parse_nvidia_driver_version(
          "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\nGCC version: 12.2\n"),
      "580.95.05");
  EXPECT_EQ(parse_nvidia_driver_version("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19\n"),
            "535.129.03");
  EXPECT_EQ(parse_nvidia_driver_version(""), "");
}

}  // namespace
}  // namespace triscope
