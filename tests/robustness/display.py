"""As much of X11 as it takes to press keys in our window and to close it as a window manager does."""

import ctypes
import sys


class ClassHint(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_char_p)]


class ClientMessage(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int), ("display", ctypes.c_void_p),
                ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong), ("format", ctypes.c_int), ("data", ctypes.c_long * 5),
                ("rest", ctypes.c_long * 12)]


class InputEvent(ctypes.Structure):
    """A key, a button or the pointer: `detail` is the keycode, the button, or whether this is a hint."""
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int), ("display", ctypes.c_void_p),
                ("window", ctypes.c_ulong), ("root", ctypes.c_ulong), ("subwindow", ctypes.c_ulong), ("time", ctypes.c_ulong),
                ("x", ctypes.c_int), ("y", ctypes.c_int), ("x_root", ctypes.c_int), ("y_root", ctypes.c_int), ("state", ctypes.c_uint),
                ("detail", ctypes.c_uint), ("same_screen", ctypes.c_int), ("rest", ctypes.c_long * 12)]


KEY_PRESS, KEY_RELEASE, BUTTON_PRESS, BUTTON_RELEASE, MOTION, CLIENT_MESSAGE = 2, 3, 4, 5, 6, 33


class Display:
    def __init__(self):
        self.x11 = ctypes.CDLL("libX11.so.6")
        for name, result in (("XOpenDisplay", ctypes.c_void_p), ("XDefaultRootWindow", ctypes.c_ulong), ("XInternAtom", ctypes.c_ulong),
                             ("XStringToKeysym", ctypes.c_ulong), ("XKeysymToKeycode", ctypes.c_ubyte)):
            getattr(self.x11, name).restype = result
        handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
        self.ignore = handler(lambda display, error: 0)  # a window may go while it is looked at
        self.x11.XSetErrorHandler(self.ignore)
        self.display = ctypes.c_void_p(self.x11.XOpenDisplay(None))
        if not self.display:
            sys.exit("there is no display: run this with tests/on_screen")
        self.root = self.x11.XDefaultRootWindow(self.display)

    def windows(self):
        root, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
        children = ctypes.POINTER(ctypes.c_ulong)()
        self.x11.XQueryTree(self.display, ctypes.c_ulong(self.root), ctypes.byref(root), ctypes.byref(parent), ctypes.byref(children),
                            ctypes.byref(count))
        found = [children[n] for n in range(count.value)]
        if children:
            self.x11.XFree(children)
        return found

    def find(self):
        """Our window; None while there is none."""
        for window in self.windows():
            hint = ClassHint()
            if self.x11.XGetClassHint(self.display, ctypes.c_ulong(window), ctypes.byref(hint)) and hint.kind == b"triscope":
                return window
        return None

    def send(self, window, event):
        self.x11.XSendEvent(self.display, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(event))
        self.x11.XFlush(self.display)

    def close(self, window):
        atom = lambda name: self.x11.XInternAtom(self.display, name, 0)
        message = ClientMessage(type=CLIENT_MESSAGE, window=window, message_type=atom(b"WM_PROTOCOLS"), format=32)
        message.data[0] = atom(b"WM_DELETE_WINDOW")
        self.send(window, message)

    def input(self, window, kind, detail=0, x=0, y=0):
        self.send(window, InputEvent(type=kind, window=window, root=self.root, x=x, y=y, x_root=x, y_root=y, detail=detail, same_screen=1))

    def press(self, window, key):
        """A key by its X11 name, with the modifiers before it: "Shift_L+F5"."""
        codes = [self.x11.XKeysymToKeycode(self.display, ctypes.c_ulong(self.x11.XStringToKeysym(name.encode()))) for name in key.split("+")]
        for code in codes:
            self.input(window, KEY_PRESS, code)
        for code in reversed(codes):
            self.input(window, KEY_RELEASE, code)

    def click(self, window, x, y):
        self.input(window, MOTION, 0, x, y)
        self.input(window, BUTTON_PRESS, 1, x, y)
        self.input(window, BUTTON_RELEASE, 1, x, y)
