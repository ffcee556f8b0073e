// The bytes of devicelib.bc as an object (compiled by clang, for #embed).
const unsigned char ww_devicelib_bitcode[] = {
#embed "devicelib.bc"
};
const unsigned long ww_devicelib_bitcode_size = sizeof ww_devicelib_bitcode;
