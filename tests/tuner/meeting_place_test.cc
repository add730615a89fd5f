// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/meeting_place.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cstdlib>
#include <string>

#include "tests/runtime/temporary_folder.h"

namespace triode::tuner {
namespace {

class MeetingPlaceTest : public ::testing::Test {
 protected:
  MeetingPlaceTest() { setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1); }
  ~MeetingPlaceTest() override { unsetenv("XDG_RUNTIME_DIR"); }

  std::string cache(const char* name = "cache") const { return (folder_.path() / name).string(); }

  TemporaryFolder folder_;
};

TEST_F(MeetingPlaceTest, IsTheSameForOneCacheAndAnotherForAnother) {
  const MeetingPlace one = find_meeting_place(cache()).value();
  EXPECT_EQ(find_meeting_place(cache() + "/../cache").value().socket, one.socket);
  EXPECT_NE(find_meeting_place(cache("other")).value().socket, one.socket);
}

TEST_F(MeetingPlaceTest, RefusesAFolderThatOthersMayEnter) {
  const std::string meeting = (folder_.path() / "triode").string();
  ASSERT_EQ(mkdir(meeting.c_str(), 0700), 0);
  ASSERT_EQ(chmod(meeting.c_str(), 0755), 0);
  EXPECT_EQ(find_meeting_place(cache()).status().code(), StatusCode::kUnavailable);
}

TEST_F(MeetingPlaceTest, RefusesALinkInPlaceOfTheFolder) {
  ASSERT_EQ(mkdir((folder_.path() / "elsewhere").c_str(), 0700), 0);
  ASSERT_EQ(symlink("elsewhere", (folder_.path() / "triode").c_str()), 0);
  EXPECT_EQ(find_meeting_place(cache()).status().code(), StatusCode::kUnavailable);
}

TEST_F(MeetingPlaceTest, RefusesAPathTooLongForASocket) {
  const std::string deep = (folder_.path() / std::string(100, 'd')).string();
  ASSERT_EQ(mkdir(deep.c_str(), 0700), 0);
  setenv("XDG_RUNTIME_DIR", deep.c_str(), 1);
  EXPECT_EQ(find_meeting_place(cache()).status().code(), StatusCode::kUnsupported);
}

TEST_F(MeetingPlaceTest, NobodyIsThereBeforeATunerListens) {
  const MeetingPlace place = find_meeting_place(cache()).value();
  EXPECT_EQ(connect_to_tuner(place).status().code(), StatusCode::kUnavailable);
}

TEST_F(MeetingPlaceTest, ListenerIsFoundByThisUserAlone) {
  const MeetingPlace place = find_meeting_place(cache()).value();
  const FileDescriptor listener = std::move(listen_for_hosts(place)).take();
  struct stat status {};
  ASSERT_EQ(stat(place.socket.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const FileDescriptor client = std::move(connect_to_tuner(place)).take();
  const FileDescriptor accepted(accept(listener.number(), nullptr, nullptr));
  EXPECT_TRUE(is_of_this_user(accepted.number()));
}

TEST_F(MeetingPlaceTest, ASocketThatWasLeftBehindIsReplaced) {
  const MeetingPlace place = find_meeting_place(cache()).value();
  { const FileDescriptor dead = std::move(listen_for_hosts(place)).take(); }
  EXPECT_FALSE(connect_to_tuner(place).ok());
  const auto again = listen_for_hosts(place);
  EXPECT_TRUE(again.ok());
  EXPECT_TRUE(connect_to_tuner(place).ok());
}

}  // namespace
}  // namespace triode::tuner
