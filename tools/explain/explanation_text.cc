// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "cache/validity.h"
#include "core/unix_time.h"
#include "runtime/tuner/publish_rule.h"
#include "tools/cache/figures.h"
#include "tools/cache/text_table.h"
#include "tools/explain/explanation_output.h"
#include "tools/report/device_text.h"

namespace triode::explain_tool {
namespace {

using cache_tool::TextTable;
using cache_tool::Tone;

std::string why_vendor(const Explanation& told) {
  const report_tool::TunerEvent* decision = told.last_decision();
  if (decision != nullptr && decision->event == "withdrawn") {
    return "the plan was withdrawn, because it had become slower in the program.\n";
  }
  if (decision != nullptr && decision->event == "vendor-stays") {
    const auto remark = decision->fields.find("remark");
    const bool has_remark = remark != decision->fields.end() && !remark->second.empty();
    return (has_remark ? remark->second : "nothing that was timed beat it by enough") + ".\n";
  }
  if (told.is_timed()) return "no plan was published for it here.\n";
  if (!told.timed_alike.empty()) {
    std::string text = "this very problem was never timed here. The same product was as\n";
    for (const Problem& alike : told.timed_alike) text += "  " + to_string(alike) + "\n";
    return text;
  }
  return "this problem was never timed here.\n"
         "Either no call of it was caught, or its calls took too little time together to be worth\n"
         "a search: `triode run --report PROGRAM` lists what was caught, and how long it took.\n";
}

std::string speedup_text(const KeptPlan& kept) {
  std::string text = cache_tool::ratio_text(kept.plan.speedup);
  if (kept.speedup_spread > 0) text += " +-" + cache_tool::percent_text(kept.speedup_spread);
  return text;
}

std::string choice_text(const Explanation& told) {
  std::string text;
  for (const KeptPlan& kept : told.answering_plans()) {
    const StoredPlan& plan = kept.plan;
    text += "Triode's kernel answers" +
            (kept.difference.empty() ? "" : " on " + device_name(kept.target)) + " in front of " +
            plan.vendor + ": " + cache_tool::time_text(plan.plan_ns) + " instead of " +
            cache_tool::time_text(plan.vendor_ns) + ", " + speedup_text(kept) +
            ", measured in turns.\n  " + plan.config + "\n";
  }
  if (text.empty()) {
    text = "The vendor's kernel answers";
    if (told.vendor_ns() > 0) text += ", in " + cache_tool::time_text(told.vendor_ns());
    text += ": " + why_vendor(told);
    if (told.is_timed()) text += "The best config timed:\n  " + told.chosen_config() + "\n";
  }
  if (told.is_searched_again()) text += "A search has begun since, and is not done.\n";
  return text;
}

// Plans that somebody may have expected here.
std::string elsewhere_text(const Explanation& told) {
  if (!told.no_cpu_kernel.empty() || told.plans_elsewhere.empty()) return "";
  std::string text = "Plans for other targets, which answer nothing here:\n";
  for (const KeptPlan& kept : told.plans_elsewhere) {
    text += "  " + device_name(kept.target) + " (" + kept.difference + "): " + speedup_text(kept) +
            " in front of " + kept.plan.vendor + "\n    " + kept.plan.config + "\n";
  }
  return text;
}

std::string checks_text(const Explanation& told) {
  if (told.plans.empty()) return "";  // a gpu's have no guard pages
  const tuner::PublishRule rule;
  char digest[20];
  std::snprintf(digest, sizeof digest, "%016llx",
                static_cast<unsigned long long>(told.plans.front().plan.code_digest));
  return "Before it was published: right results between guard pages, against the vendor's "
         "kernel;\n"
         "two races that each showed a gain beyond " +
         cache_tool::percent_text(rule.margin) +
         " at 99% confidence, by this build's rule. Code that was checked: " + digest +
         "; a program whose emitter makes other bytes keeps the vendor.\n";
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// What of a config differs from the one that is told in full, the plan's or the best timed, since
// most of its two hundred characters do not; all of one with other parameters, or where none is
// told.
std::string difference_to_choice(const std::string& config, const Explanation& told) {
  if (told.answering_plans().empty() && !told.is_timed()) return config;
  const std::vector<std::string> words = words_of(config);
  const std::vector<std::string> chosen = words_of(told.chosen_config());
  if (words.size() != chosen.size()) return config;
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    if (name != chosen[i].substr(0, chosen[i].find('='))) return config;
    if (words[i] != chosen[i]) text += (text.empty() ? "" : " ") + words[i];
  }
  return text.empty() ? "(as above)" : text;
}

void add_trial(TextTable& table, const StoredTrial& trial, const Explanation& told, int64_t now) {
  const bool ran = trial.record.measurement.count > 0;
  table.add({{difference_to_choice(trial.config, told), Tone::kPlain},
             {ran ? cache_tool::time_text(trial.record.measurement.median_ns) : "-", Tone::kPlain},
             {ran ? cache_tool::percent_text(trial.record.measurement.spread) : "-", Tone::kPlain},
             {trial.record.vendor ? cache_tool::ratio_text(trial.record.vendor->speedup) : "-",
              Tone::kPlain},
             {std::string(to_string(trial.record.outcome.kind)),
              trial.record.outcome.ok() ? Tone::kPlain : Tone::kBad},
             {cache_tool::age_text(trial.record.when_unix_s, now), Tone::kPlain},
             {!told.no_cpu_kernel.empty() ? "on " + device_name(trial.device)
              : trial.is_prior()          ? "hint: " + trial.why_prior
                                          : "yes",
              told.counts(trial) ? Tone::kPlain : Tone::kFaint}});
}

// Where the vendor stands among the trials.
void add_vendor(TextTable& table, double vendor_ns) {
  table.add({{"(the vendor's kernel)", Tone::kBad},
             {cache_tool::time_text(vendor_ns), Tone::kBad},
             {"", Tone::kPlain},
             {cache_tool::ratio_text(1), Tone::kBad},
             {"", Tone::kPlain},
             {"", Tone::kPlain},
             {"", Tone::kPlain}});
}

std::string trials_text(const Explanation& told, size_t most,
                        const cache_tool::Terminal& terminal) {
  if (told.trials.empty()) return "";
  TextTable table({{"CONFIG, WHERE IT DIFFERS", false, true},
                   {"TIME", true, false},
                   {"SPREAD", true, false},
                   {"VENDOR", true, false},
                   {"OUTCOME", false, false},
                   {"AGE", true, false},
                   {"VALID", false, true}});
  const int64_t now = unix_seconds();
  const size_t shown = most == 0 ? told.trials.size() : std::min(most, told.trials.size());
  double vendor_ns = told.vendor_ns();  // 0 once it has its line
  for (size_t i = 0; i < shown; ++i) {
    const Measurement& measured = told.trials[i].record.measurement;
    if (vendor_ns > 0 && (measured.count == 0 || measured.median_ns > vendor_ns)) {
      add_vendor(table, std::exchange(vendor_ns, 0));
    }
    add_trial(table, told.trials[i], told, now);
  }
  if (vendor_ns > 0) add_vendor(table, vendor_ns);
  std::string text = "\nTimed: " + cache_tool::count_text(static_cast<int64_t>(told.trials.size()));
  if (told.space_size > 0) {
    text += " of " + cache_tool::count_text(static_cast<int64_t>(told.space_size)) +
            (told.space_size >= kMostCounted ? " or more" : "") + " legal";
  }
  text += " configs\n" + table.text(terminal);
  if (shown < told.trials.size()) text += "(--all shows the others)\n";
  return text;
}

std::string prediction_text(const Prediction& prediction, const Explanation& told) {
  std::string text = "  " + std::to_string(prediction.rank) + ". ";
  if (prediction.ns > 0) text += cache_tool::time_text(prediction.ns);
  return text + " +-" + cache_tool::percent_text(prediction.stddev) + "  " +
         difference_to_choice(prediction.config, told) + "\n";
}

std::string model_text(const Explanation& told) {
  std::string text = "\nThe model";
  if (!told.model.empty()) text += " (" + told.model + ")";
  if (!told.model_trouble.empty()) return text + " says nothing: " + told.model_trouble + "\n";
  text += ", " + told.support + ", asked about " +
          cache_tool::count_text(static_cast<int64_t>(told.ranked)) +
          " configs, would try first:\n";
  for (const Prediction& favourite : told.favourites) text += prediction_text(favourite, told);
  const bool is_known = !told.plans.empty() || !told.trials.empty();
  if (is_known && told.of_the_choice) {
    text += "and of the choice it says:\n" + prediction_text(*told.of_the_choice, told);
  }
  return text;
}

std::string features_text(const Explanation& told, const cache_tool::Terminal& terminal) {
  TextTable table({{"FEATURE", false, false}, {"VALUE", true, false}, {"FORMULA", false, true}});
  for (const FeatureValue& feature : told.features) {
    char value[32];
    std::snprintf(value, sizeof value, "%.4g", static_cast<double>(feature.value));
    table.add(
        {{feature.name, Tone::kPlain}, {value, Tone::kPlain}, {feature.formula, Tone::kFaint}});
  }
  return "\nFeatures of that config\n" + table.text(terminal);
}

std::string change_text(const Explanation& told) {
  const tuner::PublishRule rule;
  std::string text = "\nWhat would change it\n";
  if (told.answering_plans().empty()) {
    text += "  - a config that beats the vendor by more than " +
            cache_tool::percent_text(rule.margin) +
            " in two races: run the program under `triode run`\n";
  } else {
    if (told.no_cpu_kernel.empty()) {  // nothing is timed in a gpu's program
      text += "  - the plan losing its lead: one call in 256 goes the other way and is timed\n";
    }
    text +=
        "  - another build of the library, another number of threads, other leading dimensions:\n"
        "    each is a problem or a race of its own\n";
  }
  if (!told.no_cpu_kernel.empty()) return text;
  return text + "  - another Triode that emits other code (now " + told.toolchain +
         "): what was timed is then a hint\n";
}

}  // namespace

std::string explanation_text(const Explanation& told, const OutputLimits& limits,
                             const cache_tool::Terminal& terminal) {
  const std::string place = told.no_cpu_kernel.empty()
                                ? "on " + report_tool::device_text(told.device)
                                : "not on this machine's cpu: " + told.no_cpu_kernel;
  std::string text = to_string(told.problem) + "\n" + place + "\n\n" + choice_text(told) +
                     checks_text(told) + elsewhere_text(told) +
                     trials_text(told, limits.trials, terminal) + model_text(told);
  if (limits.with_features && !told.features.empty()) text += features_text(told, terminal);
  return text + change_text(told);
}

}  // namespace triode::explain_tool
