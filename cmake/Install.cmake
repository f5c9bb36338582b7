# cmake --install build [--prefix FOLDER]: the programs, both recorded databases, the manual page, completions for three shells,
# with the window its desktop file and icon, and the C interface (Interface.cmake). The fonts are part of triscope-window (views' font_files.cpp).
include(GNUInstallDirs)
set(desktop ${CMAKE_SOURCE_DIR}/assets/desktop)

# A build of one target (./run sweep) leaves out the window: said before anything is installed.
set(programs triscope triscope-worker triscope-check-file triscope_attention)
if(TARGET triscope-window)
  list(APPEND programs triscope-window)
endif()
foreach(program ${programs})
  install(CODE "if(NOT EXISTS \"$<TARGET_FILE:${program}>\")
    message(FATAL_ERROR \"${program} is not built yet: build everything first (./run build, or cmake --build), then install\")
  endif()")
endforeach()

list(REMOVE_ITEM programs triscope_attention)
install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Programs look for the database in ../share/triscope, wherever they lie: so no other data folder will do.
install(FILES ${CMAKE_SOURCE_DIR}/assets/recorded/h200.db ${CMAKE_SOURCE_DIR}/assets/recorded/h100.db DESTINATION ${CMAKE_INSTALL_BINDIR}/../share/triscope)
install(FILES ${desktop}/triscope.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
if(TARGET triscope-window)
  install(FILES ${desktop}/triscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
  install(FILES ${desktop}/triscope.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
  install(FILES ${desktop}/triscope.png DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/256x256/apps)
endif()

# The program writes its completion scripts itself, when it is linked.
foreach(shell bash zsh fish)
  add_custom_command(TARGET triscope POST_BUILD VERBATIM BYPRODUCTS ${CMAKE_BINARY_DIR}/completion.${shell}
    COMMAND $<TARGET_FILE:triscope> completion ${shell} > ${CMAKE_BINARY_DIR}/completion.${shell})
endforeach()
install(FILES ${CMAKE_BINARY_DIR}/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME triscope)
install(FILES ${CMAKE_BINARY_DIR}/completion.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _triscope)
install(FILES ${CMAKE_BINARY_DIR}/completion.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME triscope.fish)
