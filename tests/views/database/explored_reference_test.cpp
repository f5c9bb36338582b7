// What rows of Explore stand beside, where that changes or is gone.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/window/explore/explore_reader.hpp"
#include "app/window/explore/explored_database.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/temporary_folder.hpp"
#include "views/model/charts/explore_chart.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Compared = ExploredDatabase::Compared;

class ExploredReference : public testing::Test {
 protected:
  ExploredReference() {
    write_synthetic_database(file_, 300, 10);
    write_synthetic_database(other_, 60, 10);
  }
  static void write_to(const std::filesystem::path& file) {
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec("UPDATE measurement SET id = id");
  }
  std::vector<std::string> left_out(const std::string& reference, std::int64_t hidden = 0) {
    ExploreQuestion question{file_.string(), {other_.string()}, {}, reference, hidden};
    question.query.y = "ratio";
    const auto chart = reader_.answer(question, std::stop_token());
    return chart ? chart->left_out : std::vector<std::string>{"there is no chart"};
  }
  const TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "open.db", other_ = folder_ / "other.db";
  ExploreReader reader_{std::stop_token()};
};

TEST_F(ExploredReference, is_compared_with_anew_when_it_changed) {
  const std::stop_token never;
  for (const std::string& reference : {std::string("row:1"), std::string("sweep:1"), "database:" + other_.string()}) {
    ExploredDatabase explored(file_, never);
    ASSERT_TRUE(explored.read(never));
    EXPECT_EQ(explored.compare(reference, 0, never), Compared::anew) << reference;
    EXPECT_EQ(explored.compare(reference, 0, never), Compared::as_before) << reference;
    write_to(reference.starts_with("database:") ? other_ : file_);
    ASSERT_TRUE(explored.read(never));
    EXPECT_EQ(explored.compare(reference, 0, never), Compared::anew) << reference;
  }
}

TEST_F(ExploredReference, that_is_gone_leaves_rows_beside_nothing_and_it_is_said) {
  EXPECT_THAT(left_out("row:1"), IsEmpty());
  EXPECT_THAT(left_out("row:99999"), ElementsAre(HasSubstr("stand beside nothing: reference 'row:99999'")));
  EXPECT_THAT(left_out("sweep:1", 1), ElementsAre(HasSubstr("it was deleted")));
  EXPECT_THAT(left_out("row:1", 1), ElementsAre(HasSubstr("it was deleted")));
  EXPECT_THAT(left_out("sweep:1"), IsEmpty()) << "it was brought back";
  EXPECT_THAT(left_out("database:" + (folder_ / "gone.db").string()), ElementsAre(HasSubstr("beside nothing")));
}

TEST_F(ExploredReference, a_file_stands_beside_nothing_of_itself_whatever_it_is_called) {
  EXPECT_THAT(left_out("database:" + other_.string()), IsEmpty());
  EXPECT_THAT(left_out("database:" + (folder_ / "." / "other.db").string()), IsEmpty());
  std::filesystem::create_symlink(other_, folder_ / "link.db");
  EXPECT_THAT(left_out("database:" + (folder_ / "link.db").string()), IsEmpty());
}

}  // namespace
}  // namespace triscope
