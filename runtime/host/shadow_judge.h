// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace triode::host {

// Tells when a plan has lost its lead over the vendor, from what calls of both took in the same
// stretches of a program's time: clocks, neighbours and operands that change between two stretches
// change both. A sequential test: each stretch is a vote, by which of the two was faster, and a
// majority of twelve against the plan, counted from where the plan was at its best, is the end of
// it. While the noise of a stretch turns one in four the wrong way, that takes a million stretches
// to happen by chance; one in three, some ten thousand. A plan that has become slower than the
// noise loses in twelve, and one that takes half as long again in four.
class ShadowJudge {
 public:
  // Mean times of some calls of both in one stretch.
  void add(double plan_ns, double vendor_ns);

  bool has_lost() const { return against_ >= kMajority; }

 private:
  static constexpr int kMajority = 12;
  // Nothing that disturbs a few calls of one side alone makes its mean that much longer often, so
  // that such a stretch counts for three.
  static constexpr double kFarSlower = 1.5;
  static constexpr int kVotesFarSlower = 3;

  int against_ = 0;  // votes against the plan, less those for it; never negative
};

}  // namespace triode::host
