# cmake --install build [--prefix FOLDER]: the programs, the recorded database, the manual page, completions for three shells,
# and with the window its desktop file and icon. The fonts are part of triscope-window (views' font_files.cpp).
include(GNUInstallDirs)
set(desktop ${CMAKE_SOURCE_DIR}/assets/desktop)

install(TARGETS triscope triscope-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Programs look for the database in ../share/triscope, wherever they lie: so no other data folder will do.
install(FILES ${CMAKE_SOURCE_DIR}/assets/recorded/h200.db DESTINATION ${CMAKE_INSTALL_BINDIR}/../share/triscope)
install(FILES ${desktop}/triscope.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
if(TARGET triscope-window)
  install(TARGETS triscope-window RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${desktop}/triscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
  install(FILES ${desktop}/triscope.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
  install(FILES ${desktop}/triscope.png DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/256x256/apps)
endif()

# The program writes its completion scripts itself, when it is installed.
install(CODE "set(triscope \"$<TARGET_FILE:triscope>\")")
install(CODE [=[
  foreach(shell bash zsh fish)
    execute_process(COMMAND ${triscope} completion ${shell} OUTPUT_FILE ${CMAKE_CURRENT_LIST_DIR}/completion.${shell} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()]=])
install(FILES ${CMAKE_BINARY_DIR}/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME triscope)
install(FILES ${CMAKE_BINARY_DIR}/completion.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _triscope)
install(FILES ${CMAKE_BINARY_DIR}/completion.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME triscope.fish)
