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

#include <atomic>
#include <chrono>
#include <thread>

#include "kernels/error.hpp"

namespace triscope {
namespace {

/// Frames drawn after the last event: hover delays, tooltips and layout settle within them.
constexpr int kSettleFrames = 3;
constexpr double kIdleWaitSeconds = 1.0;
constexpr double kTooltipWaitSeconds = 0.4;

std::string g_glfw_error;

/// GLFW for its lifetime; callbacks reach the application through the window's user pointer.
class GlfwWindow {
 public:
  GlfwWindow(int width, int height) {
    glfwSetErrorCallback([](int, const char* text) { g_glfw_error = text; });
    if (!glfwInit()) {
      throw Error("The window cannot be opened", fmt::format("there is no display ({})", g_glfw_error),
                  "start it in a desktop session or with `ssh -X`, or write pictures and tables with `triscope report -o FOLDER`");
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "triscope");
    window_ = glfwCreateWindow(width, height, "Triscope", nullptr, nullptr);
    if (!window_) {
      glfwTerminate();
      throw Error("The window cannot be opened", fmt::format("the graphics driver offers no OpenGL 3.3 ({})", g_glfw_error),
                  "install Mesa's software renderer (package libgl1-mesa-dri) or a newer driver, or use `triscope report -o FOLDER`");
    }
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
      throw Error("The window cannot be opened", "OpenGL 3.3 does not work here", "install Mesa's software renderer (package libgl1-mesa-dri)");
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

struct LoopState {
  Application* application = nullptr;
  bool refresh = true;
};

/// True when the user did something, something arrived from a thread, or a text cursor blinks.
bool must_draw(LoopState& state, bool news) {
  const bool input = !ImGui::GetCurrentContext()->InputEventsQueue.empty();
  const bool refresh = std::exchange(state.refresh, false);
  return news || input || refresh || ImGui::GetIO().WantTextInput;
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
  const ImVec4 ground = to_vec4(application.look().theme.ground);
  glClearColor(ground.x, ground.y, ground.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glfwSwapBuffers(window);
}

}  // namespace

void run_window(WindowOptions options) {
  GlfwWindow window(options.width, options.height);
  LoopState state;
  glfwSetWindowUserPointer(window.get(), &state);
  glfwSetWindowRefreshCallback(window.get(), [](GLFWwindow* w) { static_cast<LoopState*>(glfwGetWindowUserPointer(w))->refresh = true; });
  glfwSetFramebufferSizeCallback(window.get(), [](GLFWwindow* w, int, int) { static_cast<LoopState*>(glfwGetWindowUserPointer(w))->refresh = true; });
  glfwSetDropCallback(window.get(), [](GLFWwindow* w, int count, const char** paths) {
    LoopState& loop = *static_cast<LoopState*>(glfwGetWindowUserPointer(w));
    if (count > 0) loop.application->open_database(paths[0]);
    loop.refresh = true;
  });
  const ImguiSession session(window.get());
  options.application.wake = [] { glfwPostEmptyEvent(); };
  Application application(std::move(options.application));
  state.application = &application;
  int frames_left = kSettleFrames;
  while (!glfwWindowShouldClose(window.get()) && !application.quit_asked()) {
    if (frames_left > 0) {
      glfwPollEvents();
    } else {
      glfwWaitEventsTimeout(ImGui::GetIO().WantTextInput ? kTooltipWaitSeconds : kIdleWaitSeconds);
    }
    if (glfwGetWindowAttrib(window.get(), GLFW_ICONIFIED)) continue;
    const bool news = application.prepare_frame(ImGui_ImplGlfw_GetContentScaleForWindow(window.get()));
    if (must_draw(state, news)) frames_left = kSettleFrames;
    // A pointer at rest shows a tooltip after a moment: keep drawing until it had time to appear.
    if (frames_left == 0 && ImGui::GetCurrentContext()->HoverItemDelayTimer > 0 && ImGui::GetCurrentContext()->HoverItemDelayTimer < kTooltipWaitSeconds) frames_left = 1;
    if (frames_left == 0 && application.wanted_picture_scale() <= 0) continue;
    if (frames_left > 0) --frames_left;
    draw_frame(window.get(), application);
  }
}

}  // namespace triscope
