// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/shape_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/core/status_matchers.h"

namespace triode::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Result<std::vector<Shape>> parse(const std::string& text, DType dtype = DType::kF32) {
  std::istringstream stream(text);
  return parse_shapes(stream, "shapes.txt", dtype);
}

TEST(ShapeSets, ReferenceHasNineteenShapesOfWhichThreeAreTiny) {
  const std::vector<Shape> shapes = shapes_of_set("reference", DType::kF32).take();
  EXPECT_EQ(shapes.size(), 19u);
  EXPECT_EQ(std::count_if(shapes.begin(), shapes.end(),
                          [](const Shape& shape) { return is_tiny(shape.problem); }),
            3);
}

TEST(ShapeSets, AllIsReferenceAndModels) {
  const std::size_t reference = shapes_of_set("reference", DType::kF32).take().size();
  const std::size_t models = shapes_of_set("models", DType::kF32).take().size();
  EXPECT_EQ(shapes_of_set("all", DType::kF32).take().size(), reference + models);
}

TEST(ShapeSets, EverySetHoldsValidProblemsOfTheTypeAskedFor) {
  for (const ShapeSet& set : shape_sets()) {
    const std::vector<Shape> shapes = shapes_of_set(set.name, DType::kF64).take();
    for (const Shape& shape : shapes) {
      EXPECT_TRUE(shape.problem.validate().ok()) << shape.label;
      EXPECT_EQ(shape.problem.a_type, DType::kF64);
    }
  }
}

TEST(ShapeSets, UnknownSetNamesThoseThereAre) {
  EXPECT_THAT(shapes_of_set("huge", DType::kF32),
              FailsWith(StatusCode::kInvalidArgument,
                        HasSubstr("reference, models, quick, transposes, all")));
}

TEST(ShapesFile, ReadsSizesAndProblemTextAndSkipsComments) {
  const std::vector<Shape> shapes = parse("# head\n 8,16,32 # sizes\n\nmm f64 5x6x7 tn\r\n").take();
  ASSERT_EQ(shapes.size(), 2u);
  EXPECT_EQ(shapes[0].problem, Problem::mm(DType::kF32, 8, 16, 32));
  EXPECT_EQ(shapes[1].problem, Problem::mm(DType::kF64, 5, 6, 7, true, false));
}

TEST(ShapesFile, ErrorNamesFileAndLine) {
  EXPECT_THAT(parse("8,8,8\n8,8\n"), FailsWith(StatusCode::kInvalidArgument,
                                               StartsWith("shapes.txt:2: '8,8' is not m,n,k")));
  EXPECT_THAT(parse("# x\nmm f32 8x8 nn\n"),
              FailsWith(StatusCode::kInvalidArgument, StartsWith("shapes.txt:2: ")));
}

TEST(ShapesFile, RefusesSizesBelowOne) {
  EXPECT_THAT(parse("0,8,8\n"), FailsWith(StatusCode::kInvalidArgument, HasSubstr("at least 1")));
  EXPECT_THAT(parse("8,-8,8\n"), FailsWith(StatusCode::kInvalidArgument, HasSubstr("at least 1")));
}

TEST(ShapesFile, RefusesSizesOutOfRange) {
  EXPECT_THAT(parse("99999999999999999999,8,8\n"),
              FailsWith(StatusCode::kInvalidArgument, StartsWith("shapes.txt:1: ")));
}

TEST(ShapesFile, RefusesAFileWithoutShapes) {
  EXPECT_THAT(parse("# nothing\n"),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("holds no shape")));
}

TEST(ShapesFile, MissingFileIsNotFound) {
  EXPECT_THAT(read_shapes_file("/nowhere/shapes.txt", DType::kF32),
              FailsWith(StatusCode::kNotFound, HasSubstr("/nowhere/shapes.txt")));
}

TEST(RandomShapes, DependOnTheSeedAlone) {
  const std::vector<Shape> first = random_shapes(20, 3, DType::kF32);
  const std::vector<Shape> again = random_shapes(20, 3, DType::kF32);
  const std::vector<Shape> other = random_shapes(20, 4, DType::kF32);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(first[i].problem, again[i].problem);
  EXPECT_NE(first[0].problem, other[0].problem);
}

TEST(Transposes, AreStoredTightAndNamed) {
  const Shape shape = shapes_of_set("reference", DType::kF32).take()[11];  // 33,257,511
  const Shape stored = with_transposes(shape, "tt");
  EXPECT_EQ(transposes_of(stored.problem), "tt");
  EXPECT_EQ(stored.problem.lda, 33);
  EXPECT_EQ(stored.problem.ldb, 511);
  EXPECT_EQ(display_name(stored), "33,257,511 tt");
}

TEST(Transposes, KeepTheBatch) {
  const std::vector<Shape> shapes = parse("bmm f32 3x4x5x6 nn\n").take();
  const Shape stored = with_transposes(shapes[0], "nt");
  EXPECT_EQ(stored.problem.batch, 3);
  EXPECT_TRUE(stored.problem.validate().ok());
}

}  // namespace
}  // namespace triode::bench
