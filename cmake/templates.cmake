# Writes scenes as a table in C. Arguments: -DOUT=FILE.c -DSCENES=A.yaml;B.yaml
set(texts "")
set(rows "")
set(count 0)
foreach(scene ${SCENES})
  get_filename_component(name ${scene} NAME_WE)
  file(READ ${scene} bytes HEX)
  string(REGEX REPLACE "(................................................)" "\\1\n    " bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND texts "static const char text${count}[] = {\n    ${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", text${count}, sizeof text${count} - 1},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUT} "#include \"cli/templates.h\"\n\n${texts}
const OozeTemplate ooze_templates[] = {\n${rows}};
const int ooze_template_count = ${count};\n")
