// Makes models of much data beside the drawing.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace triscope {

/// The newest answer to a question that changes, and whether a newer one is being made.
template <typename Question, typename Answer>
struct MadeModel {
  std::optional<Question> wanted, of;  ///< asked last; that of `answer`
  std::shared_ptr<const Answer> answer;
  bool waits() const { return wanted != of; }
};

/// Lives on the drawing thread, as what it answers. Without a `beside` everything is made when it is asked for.
class ModelMaker {
 public:
  /// Run on the drawing thread once a model is made; empty: nothing is to be run.
  using Take = std::function<void()>;
  /// Runs `make` on another thread, and later what it returned. Of those with one name only the newest must be run; one
  /// without a name always is.
  std::function<void(const std::string& name, std::function<Take()> make)> beside;
  /// Who asks does not wait for another frame: what is copied or printed.
  bool at_once = false;

  /// The answer to `question`, or that to an older one while it is being made; null: there is none yet. `make` must not
  /// look at what the drawing thread changes. Of so few rows everything is made at once.
  template <typename Question, typename Answer, typename Make>
  const Answer* answer(MadeModel<Question, Answer>& model, const char* name, const Question& question, std::size_t rows,
                       Make make) {
    constexpr std::size_t kFew = 2000;
    if (model.answer && model.of == question) {
      model.wanted = question;
      return model.answer.get();
    }
    if (!beside || at_once || rows <= kFew) {
      model.wanted = question;
      take(model, question, std::make_shared<const Answer>(make()));
    } else if (model.wanted != question) {
      model.wanted = question;
      beside(name, [this, &model, question, make = std::move(make)]() -> Take {
        return [this, &model, question, made = std::make_shared<const Answer>(make())] {
          if (model.waits() && model.wanted == question) {
            take(model, question, made);
          } else {
            let_go(made);
          }
        };
      });
    }
    return model.answer.get();
  }
  /// Frees what was large elsewhere.
  void let_go(std::shared_ptr<const void> old) const {
    if (beside && old) beside({}, [old = std::move(old)] { return Take(); });
  }
  /// There is no answer any more, and none is waited for.
  template <typename Question, typename Answer>
  void forget(MadeModel<Question, Answer>& model) const {
    if (model.wanted || model.of || model.answer)
      let_go(std::make_shared<const MadeModel<Question, Answer>>(std::exchange(model, {})));
  }

 private:
  template <typename Question, typename Answer>
  void take(MadeModel<Question, Answer>& model, const Question& question, std::shared_ptr<const Answer> made) {
    // What was asked before may be the last that holds a table.
    const MadeModel<Question, Answer> old{std::nullopt, std::exchange(model.of, question),
                                          std::exchange(model.answer, std::move(made))};
    if (old.of) let_go(std::make_shared<const MadeModel<Question, Answer>>(old));
  }
};

}  // namespace triscope
