// Walks through files of tensors with a real worker: choose, browse, drop, map names; and what goes wrong.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>

#include "kernels/tensors/tensor_file.hpp"
#include "tests/views/journeys/attention_journey.hpp"
#include "tests/views/pictures/drawn_text.hpp"
#include "views/model/attention/attention_draft.hpp"
#include "views/model/attention/attention_model.hpp"

namespace triscope {
namespace {

/// Three tensors whose names say nothing.
void write_odd(const std::filesystem::path& file) {
  HostTensor q{"alpha", {40, 4, 6}, {}}, k1{"beta", {40, 2, 6}, {}}, k2{"gamma", {40, 2, 6}, {}};
  for (HostTensor* tensor : {&q, &k1, &k2}) {
    const std::int64_t count = tensor->shape[0] * tensor->shape[1] * tensor->shape[2];
    for (std::int64_t n = 0; n < count; ++n) tensor->values.push_back(std::sin(static_cast<float>(n)));
  }
  write_safetensors(file, std::vector{q, k1, k2});
}

/// q, k1, k2, v1, v2 of 40 tokens, sin(n) times `factor`.
void write_sines(const std::filesystem::path& file, float factor, std::vector<HostTensor> more = {}) {
  for (const char* name : {"q", "k1", "k2", "v1", "v2"}) {
    HostTensor tensor{name, {40, 2, 6}, {}};
    for (std::int64_t n = 0; n < 480; ++n) tensor.values.push_back(factor * std::sin(static_cast<float>(n)));
    more.push_back(std::move(tensor));
  }
  write_safetensors(file, more);
}

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
  return text;
}

/// q, k1 and k2 of 40 tokens, as numpy.savez writes them.
void write_npz(const std::filesystem::path& file) {
  const auto checksum = [](const std::string& bytes) {
    std::uint32_t sum = 0xFFFFFFFF;
    for (const char byte : bytes) {
      sum ^= static_cast<unsigned char>(byte);
      for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1U) ^ ((sum & 1U) != 0 ? 0xEDB88320U : 0U);
    }
    return ~sum;
  };
  std::string archive, directory;
  for (const char* name : {"q", "k1", "k2"}) {
    std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': (40, 2, 6), }";
    head += std::string(127 - (10 + head.size()) % 64 - 64, ' ') + "\n";
    std::string array = std::string("\x93NUMPY\x01\x00", 8) + little_endian(head.size(), 2) + head;
    for (std::int64_t n = 0; n < 480; ++n) {
      const float value = std::sin(static_cast<float>(n));
      array.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    const std::string member = std::string(name) + ".npy";
    const std::string facts = little_endian(0, 8) + little_endian(checksum(array), 4) + little_endian(array.size(), 4) +
                              little_endian(array.size(), 4) + little_endian(member.size(), 2) + little_endian(0, 2);
    directory += "PK\x01\x02" + little_endian(20, 2) + little_endian(20, 2) + facts + little_endian(0, 10) +
                 little_endian(archive.size(), 4) + member;
    archive += "PK\x03\x04" + little_endian(20, 2) + facts + member + array;
  }
  std::ofstream(file, std::ios::binary) << archive << directory << "PK\x05\x06" << little_endian(0, 4)
                                        << little_endian(3, 2) << little_endian(3, 2)
                                        << little_endian(directory.size(), 4) << little_endian(archive.size(), 4)
                                        << little_endian(0, 2);
}

class TensorJourney : public fixture::AttentionJourney {
 protected:
  static void press_open(ImGuiTestContext* c) {
    wait(c);  // for the shapes of what was typed, which move the button
    c->SetRef("//$FOCUSED");
    c->ItemClick("Open");
    c->Yield(2);
    wait(c);
  }
  static void choose_file(ImGuiTestContext* c, const std::filesystem::path& file) {
    c->ItemClick("//**/Choose...");
    c->Yield(2);
    c->SetRef("//$FOCUSED");
    c->ItemClick("File");
    c->ItemInput("##file");
    c->KeyCharsReplace(file.c_str());
    press_open(c);
  }
};

TEST_F(TensorJourney, the_file_menu_opens_tensors_and_the_button_stays_while_what_was_wrong_is_mended) {
  std::ofstream(window->folder / "bad.safetensors") << "no tensors";
  travel([](ImGuiTestContext* c) {
    wait(c);
    c->SetRef("##MainMenuBar");
    c->MenuClick("File/Open tensors...");
    c->Yield(3);
    IM_CHECK(ui().workspace == Workspace::attention);
    IM_CHECK(ui().attention.draft.open);
    IM_CHECK(ui().attention.draft.source.kind == SourceKind::file);
    c->SetRef("//$FOCUSED");
    c->ItemInput("##file");
    c->KeyCharsReplace((world().folder / "bad.safetensors").c_str());
    const float before = c->ItemInfo("Open").RectFull.Min.y;
    press_open(c);
    IM_CHECK(problem_of(ui().attention.draft, data().attention).find("bad.safetensors") != std::string::npos);
    c->Yield(2);
    c->SetRef("//$FOCUSED");
    const float with_problem = c->ItemInfo("Open").RectFull.Min.y;
    IM_CHECK_EQ(with_problem, before);
    c->ItemInput("##file");
    c->KeyCharsAppend("x");
    c->Yield(3);
    IM_CHECK_EQ(c->ItemInfo("Open").RectFull.Min.y, with_problem);
    c->KeyPress(ImGuiKey_Escape);
  });
}

TEST_F(TensorJourney, an_npz_file_opens_by_a_drop_and_by_the_dialog) {
  write_npz(window->folder / "layer.npz");
  travel([](ImGuiTestContext* c) {
    wait(c);
    const std::string database = data().database;
    app().open_dropped(world().folder / "layer.npz");
    wait(c);
    IM_CHECK_STR_EQ(data().database.c_str(), database.c_str());
    IM_CHECK(side().source != nullptr && side().source->problem.empty());
    IM_CHECK_EQ(side().source->seq_len, 40);
    IM_CHECK(side().slice != nullptr);
    choose_file(c, world().folder / "layer.npz");
    IM_CHECK(!attention().draft.open);
    IM_CHECK_EQ(side().source->q_heads, 2);
  });
}

TEST_F(TensorJourney, a_file_with_other_names_is_mapped_in_the_dialog) {
  write_odd(window->folder / "odd.safetensors");
  travel([](ImGuiTestContext* c) {
    open(c);
    choose_file(c, world().folder / "odd.safetensors");
    IM_CHECK(attention().draft.open);  // it asks which is which
    IM_CHECK(refusal_of(data().attention.draft).find("say which tensor is which") != std::string::npos);
    IM_CHECK(side().slice != nullptr);  // what was there stays until it is known
    const std::map<std::string, std::string> roles{{"q", "alpha"}, {"k1", "beta"}, {"k2", "gamma"}};
    for (const auto& [role, name] : roles) {
      c->SetRef("//$FOCUSED");
      c->ItemClick(fmt::format("##role_{}", role).c_str());
      c->ItemClick(fmt::format("//$FOCUSED/###{}", name).c_str());
    }
    const std::string text = fixture::drawn_text(c);
    IM_CHECK(fixture::says(text, "alpha   40 × 4 × 6") && fixture::says(text, "40 tokens, "));
    press_open(c);
    IM_CHECK(!attention().draft.open);
    IM_CHECK(attention().sides[0].source.mapping.names == roles);
    IM_CHECK(side().source->q_heads == 4 && side().source->kv_heads == 2 && side().slice && side().slice->count1 == 40);
  });
}

TEST_F(TensorJourney, a_file_opened_again_is_read_again_by_everything_that_is_shown_of_it) {
  write_sines(window->folder / "again.safetensors", 1);
  travel([](ImGuiTestContext* c) {
    open(c);
    choose_file(c, world().folder / "again.safetensors");
    c->SetRef("");
    c->ItemClick("//**/cpu.fast");
    c->Yield(2);
    const AttentionData& shown = data().attention;
    until(c, [&] { return shown.kernel_row.answer && shown.overview.answer && shown.sheet.answer; });
    const auto entropy = data().attention.overview.answer->entropy.back();
    const auto log_p = data().attention.sheet.answer->log_p.back();
    const auto output = data().attention.kernel_row.answer->output.front();
    const double lse = side().slice->lse;
    write_sines(world().folder / "again.safetensors", 3);
    choose_file(c, world().folder / "again.safetensors");
    IM_CHECK(side().slice->lse != lse);
    IM_CHECK(data().attention.overview.answer->entropy.back() < entropy);
    IM_CHECK(data().attention.sheet.answer->log_p.back() != log_p);
    IM_CHECK(data().attention.kernel_row.answer != nullptr);
    IM_CHECK(data().attention.kernel_row.answer->output.front() != output);
  });
}

TEST_F(TensorJourney, a_tensor_that_cannot_be_the_sink_is_refused_with_the_reason) {
  write_sines(window->folder / "seven.safetensors", 1, {{"layer.sink", {7}, std::vector<float>(7, 0.0F)}});
  travel([](ImGuiTestContext* c) {
    open(c);
    choose_file(c, world().folder / "seven.safetensors");
    IM_CHECK(attention().draft.open);
    const std::string& refusal = refusal_of(data().attention.draft);
    IM_CHECK(refusal.find("the sink has 7 values for 2 query heads") != std::string::npos);
    IM_CHECK(fixture::says(fixture::drawn_text(c), "the sink has 7 values for"));
    c->SetRef("//$FOCUSED");
    c->ItemClick("##role_sink");
    c->ItemClick("//$FOCUSED/none");
    press_open(c);
    IM_CHECK(!attention().draft.open);
    IM_CHECK(side().source && !side().source->sink);
    IM_CHECK(side().slice != nullptr);
  });
}

TEST_F(TensorJourney, a_sink_that_is_no_number_spoils_its_head_and_no_other) {
  write_sines(window->folder / "sinks.safetensors", 1, {{"sink", {2}, {std::nanf(""), -INFINITY}}});
  write_sines(window->folder / "infinite.safetensors", 1, {{"sink", {2}, {INFINITY, 0}}});
  travel([](ImGuiTestContext* c) {
    open(c);
    for (const char* file : {"sinks.safetensors", "infinite.safetensors"}) {
      choose_file(c, world().folder / file);
      IM_CHECK(side().slice && std::isnan(side().slice->lse) && std::isnan(side().slice->entropy));
      IM_CHECK(data().attention.overview.answer != nullptr);
      const Overview& overview = *data().attention.overview.answer;
      const std::size_t columns = static_cast<std::size_t>(overview.columns);
      for (const auto* figure : {&overview.entropy, &overview.largest_p, &overview.distance1}) {
        IM_CHECK(std::isnan((*figure)[columns - 1]));
        IM_CHECK((*figure)[2 * columns - 1] > 0);  // a sink of -infinity is none
      }
    }
  });
}

TEST_F(TensorJourney, enter_opens_what_is_typed_and_chooses_nothing_else) {
  write_sines(window->folder / "enter.safetensors", 1);
  travel([](ImGuiTestContext* c) {
    open(c);
    c->ItemClick("//**/Choose...");
    c->Yield(2);
    c->SetRef("//$FOCUSED");
    c->ItemClick("File");
    c->KeyPress(ImGuiKey_Enter);  // nothing is typed: it stays, and says what is missing
    c->Yield(2);
    IM_CHECK(attention().draft.open);
    IM_CHECK(!attention().draft.problem.empty());
    c->ItemInput("##file");
    c->KeyCharsReplaceEnter((world().folder / "enter.safetensors").c_str());
    c->Yield(2);
    wait(c);
    IM_CHECK(!attention().draft.open);
    IM_CHECK(side().source != nullptr);
    IM_CHECK_EQ(side().source->seq_len, 40);
  });
}

/// What is wrong with files out there, by name.
std::map<std::string, std::string> bad_files() {
  const auto entry = [](const char* name, const char* type, const char* shape, int from, int to) {
    return fmt::format(R"("{}":{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})", name, type, shape, from, to);
  };
  const auto file = [](const std::string& header, std::size_t bytes) {
    std::string length(8, '\0');
    for (std::size_t n = 0; n < 8; ++n) length[n] = static_cast<char>(header.size() >> (8 * n) & 255);
    return length + header + std::string(bytes, '\0');
  };
  const auto three = [&](const char* type, const char* k2, int size) {
    return "{" + entry("q", type, "[1,2,1,3]", 0, size) + "," + entry("k1", type, "[1,2,1,3]", size, 2 * size) + "," +
           entry("k2", type, k2, 2 * size, 3 * size) + "}";
  };
  return {{"rubbish", "this is no tensor file, whatever its name says"},
          {"empty", ""},
          {"shapes", file(three("F32", "[1,1,2,3]", 24), 72)},
          {"missing", file("{" + entry("q", "F32", "[1,2,1,3]", 0, 24) + "}", 24)},
          {"type", file(three("F8_E4M3", "[1,2,1,3]", 6), 18)},
          {"truncated", file(three("F32", "[1,2,1,3]", 24), 60)},
          {"huge_header", std::string("\0\0\0\0\1\0\0\0", 8) + "{}"}};
}

TEST_F(TensorJourney, every_bad_file_is_a_sentence_and_the_window_goes_on) {
  for (const auto& [name, bytes] : bad_files()) std::ofstream(window->folder / (name + ".safetensors")) << bytes;
  travel([](ImGuiTestContext* c) {
    open(c);
    const std::shared_ptr<const Slice> before = side().slice;
    for (const auto& [name, bytes] : bad_files()) {
      choose_file(c, world().folder / (name + ".safetensors"));
      IM_CHECK(attention().draft.open);  // it waits for another one
      const std::string why = refusal_of(data().attention.draft);
      IM_CHECK(why.find(name + ".safetensors") != std::string::npos && why.find("; ") != std::string::npos);
      IM_CHECK(side().slice == before);  // and takes nothing from the screen
      c->SetRef("//$FOCUSED");
      c->ItemClick("Cancel");
      c->SetRef("");
    }
    wait(c);
    IM_CHECK(side().slice == before);
    AttentionSource gone;  // one that was there, and is not any more
    gone.kind = SourceKind::file;
    gone.file = (world().folder / "rubbish.safetensors").string();
    choose_source(attention(), 0, gone);
    c->Yield(2);
    wait(c);
    IM_CHECK(side().slice == nullptr);
    c->ItemClick("//**/Choose tensors...");  // what stands where the map was
    c->Yield(2);
    c->SetRef("//$FOCUSED");
    c->ItemClick("Example");
    c->ItemClick("Random");
    press_open(c);
    IM_CHECK(!attention().draft.open);
    IM_CHECK(side().slice != nullptr);
  });
}

TEST_F(TensorJourney, tensors_are_found_by_browsing_and_labels_too) {
  write_sines(window->folder / "found.safetensors", 1);
  std::ofstream labels(window->folder / "words.txt");
  for (int n = 0; n < 40; ++n) labels << "w" << n << "\n";
  labels.close();
  travel([](ImGuiTestContext* c) {
    open(c);
    const auto browse = [&](const char* button, const char* name) {
      c->SetRef("//$FOCUSED");
      c->ItemClick(button);
      c->Yield(2);
      IM_CHECK(ui().path.waiting);
      c->SetRef("//$FOCUSED");
      c->ItemInput("##path");
      c->KeyCharsReplace((world().folder.path().string() + "/").c_str());
      c->Yield(2);
      wait(c);
      c->ItemDoubleClick(fmt::format("**/{}", name).c_str());
      c->Yield(3);
      wait(c);
      IM_CHECK(attention().draft.open);
    };
    c->ItemClick("//**/Choose...");
    c->Yield(2);
    c->SetRef("//$FOCUSED");
    c->ItemClick("File");
    browse("##file/Browse...", "found.safetensors");
    browse("##labels/Browse...", "words.txt");
    IM_CHECK(attention().draft.source.labels_file.ends_with("words.txt"));
    browse("##file/Browse...", "found.safetensors");
    IM_CHECK(attention().draft.source.labels_file.empty());  // they were the other file's
    browse("##labels/Browse...", "words.txt");
    press_open(c);
    IM_CHECK(!attention().draft.open);
    IM_CHECK_EQ(side().source->seq_len, 40);
    IM_CHECK_EQ(side().source->labels.at(7), std::string("w7"));
  });
}

TEST_F(TensorJourney, tensors_dropped_on_the_window_are_looked_into_and_a_database_is_opened) {
  write_sines(window->folder / "dropped.safetensors", 1);
  write_odd(window->folder / "odd.safetensors");
  write_synthetic_database(window->folder / "other.db", 6, 20);
  travel([](ImGuiTestContext* c) {
    app().open_dropped(world().folder / "dropped.safetensors");
    c->Yield(2);
    wait(c);
    IM_CHECK(ui().workspace == Workspace::attention && !attention().draft.open);
    IM_CHECK_EQ(source_title(*side().asked), std::string("dropped.safetensors"));
    IM_CHECK(side().slice != nullptr);
    app().open_dropped(world().folder / "odd.safetensors");
    c->Yield(2);
    wait(c);
    IM_CHECK(attention().draft.open);  // it asks which is which
    IM_CHECK_EQ(source_title(*side().asked), std::string("dropped.safetensors"));
    c->KeyPress(ImGuiKey_Escape);
    const std::filesystem::path database = world().folder / "other.db";
    app().open_dropped(database);
    wait(c);
    IM_CHECK_EQ(data().database, database.string());
  });
}

TEST_F(TensorJourney, a_dropped_file_is_read_without_the_labels_and_the_order_of_the_one_before) {
  write_sines(window->folder / "before.safetensors", 1);
  write_sines(window->folder / "dropped.safetensors", 2);
  std::ofstream(window->folder / "words.txt") << "left\nright\n";
  travel([](ImGuiTestContext* c) {
    open(c);
    AttentionSource before;
    before.kind = SourceKind::file;
    before.file = (world().folder / "before.safetensors").string();
    before.labels_file = (world().folder / "words.txt").string();
    before.mapping.heads_first = true;
    choose_source(attention(), 0, before);
    c->Yield(2);
    wait(c);
    IM_CHECK(side().source && side().source->seq_len == 2 && side().source->labels.size() == 2);
    app().open_dropped(world().folder / "dropped.safetensors");
    c->Yield(2);
    wait(c);
    IM_CHECK(!attention().draft.open);
    IM_CHECK_EQ(source_title(*side().asked), std::string("dropped.safetensors"));
    IM_CHECK_EQ(side().source->seq_len, 40);
    IM_CHECK(side().source->labels.empty());
  });
}

/// No worker starts before it is true, or for `kPatience`: a journey that fails ends, too.
std::atomic<bool> workers_start = true;

/// A window in which a dropped file is being opened until `workers_start`.
class SlowTensorJourney : public TensorJourney {
 protected:
  SlowTensorJourney() {
    write_sines(window->folder / "dropped.safetensors", 1);
    window->sweep.inspector = [](const std::string&) {
      fixture::draw_until([] { return workers_start.load(); }, [] {});
      return Supervisor(WorkerOptions{});
    };
    window->start(window->folder / "test.db");
  }
  static void drop(ImGuiTestContext* c) {
    workers_start = false;
    app().open_dropped(world().folder / "dropped.safetensors");
    c->Yield(4);
  }
  static void go_on(ImGuiTestContext* c) {
    workers_start = true;
    c->Yield(2);
    wait(c);
  }
  static void is_shown() {
    IM_CHECK(!attention().draft.open);
    IM_CHECK_EQ(source_title(*side().asked), std::string("dropped.safetensors"));
    IM_CHECK(side().slice != nullptr);
  }
};

TEST_F(SlowTensorJourney, what_is_being_opened_cannot_be_edited_and_is_what_is_shown) {
  travel([](ImGuiTestContext* c) {
    drop(c);
    IM_CHECK(attention().draft.submitted);
    const AttentionSource tried = attention().draft.source;
    c->SetRef("//$FOCUSED");
    for (const char* item : {"Example", "##file", "batch, heads, tokens, dim"}) {
      IM_CHECK((c->ItemInfo(item).ItemFlags & ImGuiItemFlags_Disabled) != 0);
    }
    c->MouseMove("Example");
    c->MouseClick();
    c->Yield(2);
    IM_CHECK(attention().draft.submitted && attention().draft.source == tried);
    go_on(c);
    is_shown();
  });
}

TEST_F(SlowTensorJourney, a_file_that_is_being_opened_is_opened_also_when_the_device_becomes_another) {
  travel([](ImGuiTestContext* c) {
    drop(c);
    auto catalog = std::make_shared<Catalog>(*fixture::invented_catalog());
    catalog->devices.front().id = "0";
    catalog->devices.front().kind = DeviceKind::cuda;  // the fixture's worker computes on the CPU whatever is asked for
    app().data().machine.catalog = catalog;
    c->Yield(2);
    IM_CHECK(attention().device == "0" && attention().draft.submitted);
    go_on(c);
    is_shown();
    IM_CHECK_EQ(side().slice_device, std::string("0"));
  });
}

TEST_F(TensorJourney, a_file_that_was_tried_is_not_opened_again_to_be_shown) {
  travel([](ImGuiTestContext* c) {
    open(c);
    static std::shared_ptr<const SourceReply> reply;
    reply = side().source;
    SourceDraft& draft = attention().draft;
    draft.open = draft.submitted = true;
    draft.source.kind = SourceKind::file;
    draft.source.file = "gone since.safetensors";
    draft.source.opening = ++attention().openings;
    OpenedSource& tried = app().data().attention.draft;
    tried.asked = draft.source;
    tried.source = reply;
    c->Yield(2);
    wait(c);
    IM_CHECK(!attention().draft.open);
    IM_CHECK_EQ(source_title(*side().asked), std::string("gone since.safetensors"));
    IM_CHECK(side().source == reply);
    reply.reset();
  });
}

TEST_F(TensorJourney, nan_and_infinity_in_a_file_are_counted) {
  HostTensor q{"q", {40, 2, 6}, std::vector<float>(480, 0.5F)}, k1 = q, k2 = q;
  k1.name = "k1";
  k2.name = "k2";
  k1.values[30 * 12] = std::nanf("");
  k1.values[31 * 12] = INFINITY;
  write_safetensors(window->folder / "nan.safetensors", std::vector{q, k1, k2});
  travel([](ImGuiTestContext* c) {
    open(c);
    choose_file(c, world().folder / "nan.safetensors");
    IM_CHECK(!attention().draft.open);
    IM_CHECK(side().slice != nullptr);
    IM_CHECK_EQ(side().slice->nan_count, 32);
    IM_CHECK_EQ(side().slice->infinite_count, 32);
  });
}

}  // namespace
}  // namespace triscope
