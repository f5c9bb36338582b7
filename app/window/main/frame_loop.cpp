#include "app/window/main/frame_loop.hpp"

#define GLFW_INCLUDE_NONE
#include <GL/gl.h>
#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>
#include <implot.h>

#include <algorithm>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "app/stop/stop_signal.hpp"
#include "app/window/main/window_fit.hpp"
#include "kernels/base/error.hpp"
#include "views/shell/shell.hpp"

namespace triscope {
namespace {

/// Frames drawn after the last event: hover delays, tooltips and layout settle within them.
constexpr int kSettleFrames = 3;
constexpr double kIdleWaitSeconds = 1.0;
constexpr float kTooltipWaitSeconds = 0.4F;
/// Between frames while a pointer rests on something: its tooltip takes a few of them to come and to find its size.
constexpr double kHoverPeriodSeconds = 0.04;
/// So long after the last input a text cursor blinks, a frame each time; then it stands.
constexpr double kBlinkSeconds = 10;
/// While a sweep is measured, news are drawn at most this often.
constexpr double kMeasuringPeriodSeconds = 1.0;

std::string g_glfw_error;

/// GLFW for its lifetime; callbacks reach the application through the window's user pointer.
class GlfwWindow {
 public:
  GlfwWindow(int width, int height) {
    glfwSetErrorCallback([](int, const char* text) { g_glfw_error = text; });
    if (!glfwInit()) {
      throw Error("The window cannot be opened", fmt::format("there is no display ({})", g_glfw_error),
                  "start it in a desktop session or with `ssh -X`, or write pictures and tables with `triscope report "
                  "-o FOLDER`");
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);               // until it has its size
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "triscope");  // only together with the instance's name
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "triscope");
    window_ = glfwCreateWindow(width, height, "Triscope", nullptr, nullptr);
    if (!window_) {
      glfwTerminate();
      throw Error("The window cannot be opened",
                  fmt::format("the graphics driver offers no OpenGL 3.3 ({})", g_glfw_error),
                  "install Mesa's software renderer (package libgl1-mesa-dri) or a newer driver, or use `triscope "
                  "report -o FOLDER`");
    }
    fit_into_screen();
    glfwShowWindow(window_);
    fit_into_screen();  // a window manager may show it on another monitor
    glfwMakeContextCurrent(window_);
    glfwSwapInterval(1);
  }
  ~GlfwWindow() {
    glfwDestroyWindow(window_);
    glfwTerminate();
  }
  GlfwWindow(const GlfwWindow&) = delete;
  GlfwWindow& operator=(const GlfwWindow&) = delete;
  GLFWwindow* get() const { return window_; }

 private:
  /// No larger, with its frame, than what panels of the desktop leave free on its monitor: not every window manager
  /// sees to that, and there may be none.
  void fit_into_screen() {
    ScreenRect asked;
    glfwGetWindowPos(window_, &asked.x, &asked.y);
    glfwGetWindowSize(window_, &asked.width, &asked.height);
    WindowFrame frame;
    glfwGetWindowFrameSize(window_, &frame.left, &frame.top, &frame.right, &frame.bottom);
    int count = 0;
    GLFWmonitor** monitors = glfwGetMonitors(&count);
    std::vector<ScreenRect> free;
    for (int n = 0; n < count; ++n) {
      ScreenRect& one = free.emplace_back();
      glfwGetMonitorWorkarea(monitors[n], &one.x, &one.y, &one.width, &one.height);
    }
    const ScreenRect fitted = fit_window(asked, frame, free);
    if (fitted.width != asked.width || fitted.height != asked.height)
      glfwSetWindowSize(window_, fitted.width, fitted.height);
    if (fitted.x != asked.x || fitted.y != asked.y) glfwSetWindowPos(window_, fitted.x, fitted.y);
  }

  GLFWwindow* window_ = nullptr;
};

/// Dear ImGui and ImPlot with their GLFW and OpenGL backends.
class ImguiSession {
 public:
  explicit ImguiSession(GLFWwindow* window) {
    ImGui::CreateContext();
    ImPlot::CreateContext();
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    if (!ImGui_ImplOpenGL3_Init("#version 330 core")) {
      throw Error("The window cannot be opened", "OpenGL 3.3 does not work here",
                  "install Mesa's software renderer (package libgl1-mesa-dri)");
    }
  }
  ~ImguiSession() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImPlot::DestroyContext();
    ImGui::DestroyContext();
  }
  ImguiSession(const ImguiSession&) = delete;
  ImguiSession& operator=(const ImguiSession&) = delete;
};

/// What GLFW's callbacks leave for the loop.
struct Callbacks {
  Application* application = nullptr;
  bool refresh = true;
};

Callbacks& callbacks_of(GLFWwindow* window) { return *static_cast<Callbacks*>(glfwGetWindowUserPointer(window)); }

void listen(GLFWwindow* window, Callbacks& callbacks) {
  glfwSetWindowUserPointer(window, &callbacks);
  glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { callbacks_of(w).refresh = true; });
  glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { callbacks_of(w).refresh = true; });
  glfwSetKeyCallback(window, [](GLFWwindow* w, int, int, int action, int) {
    if (action == GLFW_REPEAT)
      callbacks_of(w).refresh = true;  // a held key walks on; Dear ImGui's backend passes it over
  });
  glfwSetDropCallback(window, [](GLFWwindow* w, int count, const char** paths) {
    if (count > 0) callbacks_of(w).application->open_dropped(paths[0]);
    callbacks_of(w).refresh = true;
  });
}

ApplicationOptions with_wake(ApplicationOptions options) {
  options.wake = [] { glfwPostEmptyEvent(); };
  return options;
}

/// The pointer rests on something that may have a tooltip, which takes a moment and then a few frames to be there:
/// where frames are slow, one may bring all of that moment.
class TooltipWait {
 public:
  bool is_due() const { return ImGui::GetCurrentContext()->HoverItemDelayId != 0 && frames_left_ > 0; }
  void after_frame() {
    const ImGuiContext& context = *ImGui::GetCurrentContext();
    const bool rests = std::min(context.HoverItemDelayTimer, context.MouseStationaryTimer) >= kTooltipWaitSeconds;
    frames_left_ = rests ? std::max(0, frames_left_ - 1) : kSettleFrames;
  }

 private:
  int frames_left_ = 0;
};

/// Until the steps page, which plays, is to be drawn for its next step; none where it does not play, or was not drawn:
/// its panel may be closed. `last_drawn` on GLFW's clock. Beside measurements it is drawn as rarely as all else.
std::optional<double> seconds_to_step(const UiState& ui, double last_drawn, bool measuring) {
  const StepsUi& steps = ui.paper.steps;
  const bool plays = ui.workspace == Workspace::paper && ui.paper.page == PaperPage::steps && steps.playing;
  const double due = steps.next_at - ImGui::GetTime();  // what is drawn leaves a step that is still to come
  if (!plays || due <= 0) return std::nullopt;
  return std::max(0.0, std::max(due, measuring ? kMeasuringPeriodSeconds : 0) - (glfwGetTime() - last_drawn));
}

void draw_frame(GLFWwindow* window, Application& application) {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  const float picture_scale = application.wanted_picture_scale();
  if (picture_scale > 0) ImGui::GetIO().DisplayFramebufferScale = ImVec2(picture_scale, picture_scale);
  ImGui::NewFrame();
  application.draw();
  ImGui::Render();
  if (picture_scale > 0) {
    // This frame has the picture's resolution, not the screen's: it is filled on the CPU and not shown.
    application.take_picture(*ImGui::GetDrawData());
    return;
  }
  int width = 0, height = 0;
  glfwGetFramebufferSize(window, &width, &height);
  glViewport(0, 0, width, height);
  const ImVec4 ground = to_vec4(ground_of(application.ui(), application.look().theme));
  glClearColor(ground.x, ground.y, ground.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glfwSwapBuffers(window);
}

}  // namespace

struct DesktopWindow::Parts {
  explicit Parts(WindowOptions options)
      : window(options.width, options.height),
        callbacks(),
        listening((listen(window.get(), callbacks), true)),
        session(window.get()),
        application(with_wake(std::move(options.application))) {
    callbacks.application = &application;
  }

  GlfwWindow window;
  Callbacks callbacks;
  bool listening;  ///< before Dear ImGui's backend, which chains our callbacks
  ImguiSession session;
  Application application;
  std::string titled;  ///< database in the title
  int frames_left = kSettleFrames;
  TooltipWait tooltip;
  bool news_waits = false;  ///< something new is held back while a sweep is measured
  double last_drawn = 0;    ///< seconds of GLFW's clock
  double last_input = 0;    ///< likewise
  std::int64_t frames = 0;
};

DesktopWindow::DesktopWindow(WindowOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}
DesktopWindow::~DesktopWindow() = default;
Application& DesktopWindow::application() { return parts_->application; }
std::int64_t DesktopWindow::frames() const { return parts_->frames; }

void DesktopWindow::resize(int width, int height) { glfwSetWindowSize(parts_->window.get(), width, height); }

void DesktopWindow::draw() {
  Parts& p = *parts_;
  glfwPollEvents();
  p.application.prepare_frame(ImGui_ImplGlfw_GetContentScaleForWindow(p.window.get()));
  draw_frame(p.window.get(), p.application);
  ++p.frames;
}

bool DesktopWindow::step() {
  Parts& p = *parts_;
  ImGuiIO& io = ImGui::GetIO();
  const bool measuring = p.application.data().run.running;
  const auto minimised = [&p] { return glfwGetWindowAttrib(p.window.get(), GLFW_ICONIFIED) != 0; };
  if (minimised()) {
    p.frames_left = 0;
    glfwWaitEventsTimeout(kIdleWaitSeconds);
  } else if (p.frames_left > 0) {
    glfwPollEvents();
  } else {
    const double longest = std::min(
        p.tooltip.is_due()                                                ? kHoverPeriodSeconds
        : io.WantTextInput && io.ConfigInputTextCursorBlink && !measuring ? kTooltipWaitSeconds
                                                                          : kIdleWaitSeconds,
        std::max(0.001, seconds_to_step(p.application.ui(), p.last_drawn, measuring).value_or(kIdleWaitSeconds)));
    glfwWaitEventsTimeout(
        p.news_waits ? std::clamp(p.last_drawn + kMeasuringPeriodSeconds - glfwGetTime(), 0.001, longest) : longest);
  }
  if (glfwWindowShouldClose(p.window.get()) || p.application.quit_asked()) return false;
  p.news_waits |= p.application.prepare_frame(ImGui_ImplGlfw_GetContentScaleForWindow(p.window.get()));
  if (minimised()) return true;
  const bool person = !ImGui::GetCurrentContext()->InputEventsQueue.empty() || p.application.holds_keys() ||
                      std::exchange(p.callbacks.refresh, false);
  if (person) p.last_input = glfwGetTime();
  const bool blinks = glfwGetTime() - p.last_input < kBlinkSeconds;
  const bool stops = std::exchange(io.ConfigInputTextCursorBlink, blinks) && !blinks;  // its last frame shows it
  const bool due = p.news_waits && (!measuring || glfwGetTime() - p.last_drawn >= kMeasuringPeriodSeconds);
  // While slices go by, each is drawn once: the next one settles what this one left.
  const bool walking = p.application.ui().workspace == Workspace::attention && is_walking(p.application.ui().attention);
  if (person || (due && !measuring)) p.frames_left = walking ? 1 : kSettleFrames;
  if (due && p.frames_left == 0) p.frames_left = 1;
  // A text cursor blinks; a pointer at rest shows a tooltip after a moment.
  const bool cursor = io.WantTextInput && !measuring && (blinks || stops);
  if (p.frames_left == 0 && (cursor || p.tooltip.is_due())) p.frames_left = 1;
  if (p.frames_left == 0 && seconds_to_step(p.application.ui(), p.last_drawn, measuring) == 0) p.frames_left = 1;
  if (p.frames_left == 0 && p.application.wanted_picture_scale() <= 0) return true;
  if (p.frames_left > 0) --p.frames_left;
  p.news_waits = false;
  p.last_drawn = glfwGetTime();
  draw_frame(p.window.get(), p.application);
  p.tooltip.after_frame();
  ++p.frames;
  if (p.titled != p.application.data().database) {
    p.titled = p.application.data().database;
    glfwSetWindowTitle(p.window.get(),
                       fmt::format("{} - Triscope", std::filesystem::path(p.titled).filename().string()).c_str());
  }
  return true;
}

void run_window(WindowOptions options) {
  const StopSignal signals;
  DesktopWindow window(std::move(options));
  const std::stop_callback wake(signals.token(), [] { glfwPostEmptyEvent(); });
  while (!signals.requested() && window.step()) {
  }
}

}  // namespace triscope
