/* Written by experiments/math/coefficients.py: the polynomials and constants of the mathematical functions. */
#ifndef HP5_RUNTIME_MATH_COEFFICIENTS_H
#define HP5_RUNTIME_MATH_COEFFICIENTS_H
/* EXP: 2^-57.3 */
#define HP5_EXP_0 0x1.555555555555cp-3
#define HP5_EXP_1 0x1.5555555553132p-5
#define HP5_EXP_2 0x1.111111110e711p-7
#define HP5_EXP_3 0x1.6c16c17d0825dp-10
#define HP5_EXP_4 0x1.a01a01b5dfc00p-13
#define HP5_EXP_5 0x1.a019aa4fa31f1p-16
#define HP5_EXP_6 0x1.71dde9e8d4aa6p-19
#define HP5_EXP_7 0x1.28a06b7d405d7p-22
#define HP5_EXP_8 0x1.af76c6a1c0a16p-26
/* EXPF: 2^-40.2 */
#define HP5_EXPF_0 0x1.ffffffffff791p-1
#define HP5_EXPF_1 0x1.ffffffffd50a9p-1
#define HP5_EXPF_2 0x1.0000000088f6bp-1
#define HP5_EXPF_3 0x1.555555a0f6ca4p-3
#define HP5_EXPF_4 0x1.555554032d081p-5
#define HP5_EXPF_5 0x1.1110821beaecfp-7
#define HP5_EXPF_6 0x1.6c18b50d8f07dp-10
#define HP5_EXPF_7 0x1.a1a8e96db73d8p-13
#define HP5_EXPF_8 0x1.9eda16380b420p-16
#define HP5_LOG2E 0x1.71547652b82fep+0
#define HP5_LN2_EXACT 0x1.62e42fefa3800p-1
#define HP5_LN2_REST 0x1.ef35793c76730p-45
#define HP5_LN2_H 0x1.62e42fefa39efp-1
#define HP5_LN2_L 0x1.abc9e3b39803fp-56
#define HP5_INV_LN2_H 0x1.71547652b82fep+0
#define HP5_INV_LN2_L 0x1.777d0ffda0d24p-56
#define HP5_INV_LN10_H 0x1.bcb7b1526e50ep-2
#define HP5_INV_LN10_L 0x1.95355baaafad3p-57
#define HP5_LOG10_2_EXACT 0x1.34413509f7000p-2
#define HP5_LOG10_2_REST 0x1.3fde623e2566bp-43
/* LOG: 2^-59.3 */
#define HP5_LOG_0 0x1.555555555558cp-1
#define HP5_LOG_1 0x1.9999999980f1bp-2
#define HP5_LOG_2 0x1.249249418c00ap-2
#define HP5_LOG_3 0x1.c71c520ab926cp-3
#define HP5_LOG_4 0x1.74664b248c284p-3
#define HP5_LOG_5 0x1.399f7bd58060fp-3
#define HP5_LOG_6 0x1.2f248f60ede9dp-3
/* LOGF: 2^-37.5 */
#define HP5_LOGF_0 0x1.555554f9fe0d4p-1
#define HP5_LOGF_1 0x1.999a817f0ec77p-2
#define HP5_LOGF_2 0x1.2436fee365a52p-2
#define HP5_LOGF_3 0x1.e3409e4728a6bp-3
/* POW: 2^-66.5 */
#define HP5_POW_0_H 0x1.5555555555555p-1
#define HP5_POW_0_L -0x1.698f4edab5cf4p-58
#define HP5_POW_1 0x1.9999999999d67p-2
#define HP5_POW_2 0x1.2492492432aa8p-2
#define HP5_POW_3 0x1.c71c72537daafp-3
#define HP5_POW_4 0x1.745cdf3f0e381p-3
#define HP5_POW_5 0x1.3b2093c170de8p-3
#define HP5_POW_6 0x1.0f5d732407a94p-3
#define HP5_POW_7 0x1.0f6734d17f503p-3
/* SIN: 2^-58.0 */
#define HP5_SIN_0 -0x1.5555555555549p-3
#define HP5_SIN_1 0x1.111111110f861p-7
#define HP5_SIN_2 -0x1.a01a019c0e479p-13
#define HP5_SIN_3 0x1.71de3574b2e3dp-19
#define HP5_SIN_4 -0x1.ae5e63c6341b6p-26
#define HP5_SIN_5 0x1.5d92446eadec7p-33
/* COS: 2^-63.5 */
#define HP5_COS_0 0x1.5555555555553p-5
#define HP5_COS_1 -0x1.6c16c16c16006p-10
#define HP5_COS_2 0x1.a01a019df2b43p-16
#define HP5_COS_3 -0x1.27e4f8daf3d5fp-22
#define HP5_COS_4 0x1.1eea6dd420164p-29
#define HP5_COS_5 -0x1.8feccc21692a8p-37
/* ATAN: 2^-63.6 */
#define HP5_ATAN_0 -0x1.5555555555554p-2
#define HP5_ATAN_1 0x1.99999999990b7p-3
#define HP5_ATAN_2 -0x1.2492492407b55p-3
#define HP5_ATAN_3 0x1.c71c714914fd0p-4
#define HP5_ATAN_4 -0x1.745cf78ebad0ap-4
#define HP5_ATAN_5 0x1.3b0eeb94107ebp-4
#define HP5_ATAN_6 -0x1.10a01ed841c00p-4
#define HP5_ATAN_7 0x1.d53a4e24bbd84p-5
#define HP5_ATAN_8 -0x1.4882bf8fd8297p-5
/* ASIN: 2^-59.7 */
#define HP5_ASIN_0 0x1.555555555555fp-3
#define HP5_ASIN_1 0x1.333333333065ep-4
#define HP5_ASIN_2 0x1.6db6db70acff8p-5
#define HP5_ASIN_3 0x1.f1c71b0628e78p-6
#define HP5_ASIN_4 0x1.6e8bd40626aadp-6
#define HP5_ASIN_5 0x1.1c4a9dbdae30bp-6
#define HP5_ASIN_6 0x1.ca10e294e2cbap-7
#define HP5_ASIN_7 0x1.75f33dd09dc9ep-7
#define HP5_ASIN_8 0x1.5f0517ae93238p-7
#define HP5_ASIN_9 0x1.028ddcfc2830fp-8
#define HP5_ASIN_10 0x1.5abe1ce303b78p-6
#define HP5_ASIN_11 -0x1.4c2d56ca80188p-6
#define HP5_ASIN_12 0x1.07c8853505215p-5
#define HP5_PIO2_H 0x1.921fb54442d18p+0
#define HP5_PIO2_L 0x1.1a62633145c07p-54
#define HP5_PI_H 0x1.921fb54442d18p+1
#define HP5_PI_L 0x1.1a62633145c07p-53
#define HP5_PIO4_H 0x1.921fb54442d18p-1
#define HP5_PIO4_L 0x1.1a62633145c07p-55
#define HP5_ATAN_HALF_H 0x1.dac670561bb4fp-2
#define HP5_ATAN_HALF_L 0x1.a2b7f222f65e2p-56
/* CBRT: 2^-7.2 */
#define HP5_CBRT_0 0x1.5673a2a6a65a0p+0
#define HP5_CBRT_1 -0x1.c3694e70afcd5p-2
#define HP5_CBRT_2 0x1.bc6d72d8866f3p-4
#define HP5_CBRT_3 -0x1.a98955876488cp-7
#define HP5_CBRT_4 0x1.32da66c4a5ad1p-11
#define HP5_THIRD 0x1.5555555555555p-2
#define HP5_TWO_NINTHS 0x1.c71c71c71c71cp-3
#define HP5_ERF_H 0x1.20dd750429b6dp+0
#define HP5_ERF_L 0x1.1ae3a914fed80p-56
/* ERF: 2^-64.9 */
#define HP5_ERF_0 -0x1.812746b0379e7p-2
#define HP5_ERF_1 0x1.ce2f21a042b73p-4
#define HP5_ERF_2 -0x1.b82ce31281ffbp-6
#define HP5_ERF_3 0x1.565bcd0b60438p-8
#define HP5_ERF_4 -0x1.c02db27a7b069p-11
#define HP5_ERF_5 0x1.f9a2b2709061cp-14
#define HP5_ERF_6 -0x1.f4bd060875a7ap-17
#define HP5_ERF_7 0x1.b78cf62ee3be6p-20
#define HP5_ERF_8 -0x1.3a95b13110960p-23
/* ERFC: 2^-60.5 */
#define HP5_ERFC_0_H 0x1.3ba5916e9fd7fp+0
#define HP5_ERFC_0_L -0x1.a7315f66daf66p-55
#define HP5_ERFC_1_H -0x1.1df1ad154a28ep-3
#define HP5_ERFC_1_L 0x1.a309d61ee58d8p-57
#define HP5_ERFC_2_H 0x1.f7f5df66fd75dp-7
#define HP5_ERFC_2_L -0x1.0dc03b460fac5p-61
#define HP5_ERFC_3 0x1.16ecefcfa52c3p-4
#define HP5_ERFC_4 -0x1.9ddb23c3e8d74p-4
#define HP5_ERFC_5 0x1.7fee004e14a1fp-4
#define HP5_ERFC_6 -0x1.0fb06dfe4f439p-4
#define HP5_ERFC_7 0x1.3079edf62327ap-5
#define HP5_ERFC_8 -0x1.09623883ba6fbp-6
#define HP5_ERFC_9 0x1.49c672a898bf6p-8
#define HP5_ERFC_10 -0x1.8d4a9b4b4975ep-11
#define HP5_ERFC_11 -0x1.a1df43c1f9f44p-13
#define HP5_ERFC_12 0x1.3be0597fc142cp-13
#define HP5_ERFC_13 -0x1.9954fb025e647p-16
#define HP5_ERFC_14 -0x1.788a53c994705p-17
#define HP5_ERFC_15 0x1.7ef5f8e53baf1p-18
#define HP5_ERFC_16 0x1.3afe2dc2e0ea7p-22
#define HP5_ERFC_17 -0x1.b8056a185dcd4p-21
#define HP5_ERFC_18 0x1.42928c2f76852p-24
#define HP5_ERFC_19 0x1.bbcf25c240da5p-24
#define HP5_ERFC_20 -0x1.38659af5190f6p-26
#define HP5_ERFC_21 -0x1.4c89a0dbe259dp-27
#define HP5_ERFC_22 0x1.052d763dfbcd3p-29
/* GAMMA: 2^-63.0 */
#define HP5_GAMMA_0_H 0x1.c5bf891b4ef6bp-1
#define HP5_GAMMA_0_L -0x1.613ba36bd1aa0p-55
#define HP5_GAMMA_1_H 0x1.08ea88ee561b2p-5
#define HP5_GAMMA_1_L 0x1.b54ffe1ce9898p-60
#define HP5_GAMMA_2_H 0x1.a8c4dba620d56p-2
#define HP5_GAMMA_2_L -0x1.d45e3c81d4c59p-57
#define HP5_GAMMA_3 -0x1.b77ac1ca2ec3ap-4
#define HP5_GAMMA_4 0x1.283bd374eb3f2p-3
#define HP5_GAMMA_5 -0x1.3d88cfe501967p-4
#define HP5_GAMMA_6 0x1.e022b74334bdfp-5
#define HP5_GAMMA_7 -0x1.374fd5ce89dcbp-5
#define HP5_GAMMA_8 0x1.a752c6b7c2b17p-6
#define HP5_GAMMA_9 -0x1.1a2c28feac632p-6
#define HP5_GAMMA_10 0x1.7991dba5dca1ap-7
#define HP5_GAMMA_11 -0x1.f7fc7c786531cp-8
#define HP5_GAMMA_12 0x1.504ee9ef1b3b9p-8
#define HP5_GAMMA_13 -0x1.c09e64e2a3cd4p-9
#define HP5_GAMMA_14 0x1.2b2a228863ce2p-9
#define HP5_GAMMA_15 -0x1.8f3d2a87680c1p-10
#define HP5_GAMMA_16 0x1.0a4e0822267bbp-10
#define HP5_GAMMA_17 -0x1.5fd0b07c1d772p-11
#define HP5_GAMMA_18 0x1.d32c35ad9bf7cp-12
#define HP5_GAMMA_19 -0x1.514a51fa4cd1dp-12
#define HP5_GAMMA_20 0x1.cbfbf8d7e4464p-13
#define HP5_GAMMA_21 -0x1.6122169242b63p-14
#define HP5_GAMMA_22 0x1.9852b4c546488p-15
#define HP5_GAMMA_23 -0x1.0185a168e4801p-13
#define HP5_GAMMA_24 0x1.6c348531f6b79p-14
/* LGAMMA: 2^-67.3 */
#define HP5_LGAMMA_0_H 0x1.eeb95b094c191p-2
#define HP5_LGAMMA_0_L 0x1.346a90cae34f8p-56
#define HP5_LGAMMA_1_H -0x1.2aed059bd608ap-3
#define HP5_LGAMMA_1_L -0x1.803eddc47f7c7p-61
#define HP5_LGAMMA_2_H 0x1.01af62a2929e8p-4
#define HP5_LGAMMA_2_L -0x1.7c79d51a69234p-58
#define HP5_LGAMMA_3 -0x1.007aa83cee1e7p-5
#define HP5_LGAMMA_4 0x1.1334235278fd5p-6
#define HP5_LGAMMA_5 -0x1.34dbda148e4f2p-7
#define HP5_LGAMMA_6 0x1.64f06652430cfp-8
#define HP5_LGAMMA_7 -0x1.a503523b21727p-9
#define HP5_LGAMMA_8 0x1.f814b7c0538e1p-10
#define HP5_LGAMMA_9 -0x1.313e8822f541ap-10
#define HP5_LGAMMA_10 0x1.750ae6234bab5p-11
#define HP5_LGAMMA_11 -0x1.cb457b8a48390p-12
#define HP5_LGAMMA_12 0x1.1c74753e7c99fp-12
#define HP5_LGAMMA_13 -0x1.6230daca98fa1p-13
#define HP5_LGAMMA_14 0x1.bb017cd76e32ap-14
#define HP5_LGAMMA_15 -0x1.163edf6ef2616p-14
#define HP5_LGAMMA_16 0x1.5ea2c90222866p-15
#define HP5_LGAMMA_17 -0x1.b87814fe0b535p-16
#define HP5_LGAMMA_18 0x1.16ace5aa05275p-16
#define HP5_LGAMMA_19 -0x1.7717162ef4e2cp-17
#define HP5_LGAMMA_20 0x1.e22582e2579b0p-18
#define HP5_LGAMMA_21 -0x1.9374027e6ada7p-19
#define HP5_LGAMMA_22 0x1.e7f3d37e47ce3p-20
#define HP5_LGAMMA_23 -0x1.d01e5363e9c64p-19
#define HP5_LGAMMA_24 0x1.32ddce1792b8bp-19
#define HP5_STIRLING_1 0x1.5555555555555p-4
#define HP5_STIRLING_2 -0x1.6c16c16c16c17p-9
#define HP5_STIRLING_3 0x1.a01a01a01a01ap-11
#define HP5_STIRLING_4 -0x1.3813813813814p-11
#define HP5_STIRLING_5 0x1.b951e2b18ff23p-11
#define HP5_STIRLING_6 -0x1.f6ab0d9993c7dp-10
#define HP5_STIRLING_7 0x1.a41a41a41a41ap-8
#define HP5_STIRLING_8 -0x1.e4286cb0f5398p-6
#define HP5_STIRLING_9 0x1.6fe96381e0680p-3
#define HP5_STIRLING_10 -0x1.6476701181f3ap+0
#define HP5_HALF_LOG_2PI_H 0x1.d67f1c864beb5p-1
#define HP5_HALF_LOG_2PI_L -0x1.65b5a1b7ff5dfp-55
#define HP5_LOG_PI_H 0x1.250d048e7a1bdp+0
#define HP5_LOG_PI_L 0x1.7abf2ad8d5088p-57
/* by 2 (n - 2), n = -floor(x) - 1, and 1 more for the zero next to -n - 1: the zero (3 parts), the first factor (2), the others */
#define HP5_LGAMMA_ZEROS {\
    {-0x1.3a7fc9600f86cp+1, -0x1.55f64f98af8d0p-55, -0x1.c4b0cd201366ap-110, 0x1.83fe966af535fp+0, -0x1.775909a36a6a4p-55, 0x1.36eebb002f55dp+2, 0x1.694a6058a7858p+0, 0x1.1718d7ca09e5bp+3,\
     0x1.7339fe04b2764p+2, 0x1.8d32f682aa0bdp+4, 0x1.809f04ee6e0fap+4, 0x1.48eaa81657361p+6, 0x1.9297adb2def5ap+6, 0x1.286fb8cbaebb3p+8, 0x1.a92e0a5de4bf8p+8, 0x1.1a9d4d8c62a7fp+10, 0x1.c4cd2594e7015p+10, 0x1.18737ec8c5674p+12},\
    {-0x1.5fb410a1bd901p+1, 0x1.a19a96d2e6f85p-54, 0x1.140b4ff4b7d60p-108, -0x1.ea12da904b18cp+0, -0x1.220130f99b2cfp-54, 0x1.3267f3c265a52p+3, -0x1.4185ac30c8bf2p+4, 0x1.f504accc9f19bp+5,\
     -0x1.8588458207eacp+7, 0x1.4373f7cc709b3p+9, -0x1.12239bdd6c013p+11, 0x1.dba65e27421c4p+12, -0x1.a2d2504d7e987p+14, 0x1.7581739ee6087p+16, -0x1.506c65fad617ep+18, 0x1.318ef724f780ep+20, -0x1.17767260da07ap+22, 0x1.011e34454c6c3p+24},\
    {-0x1.9260dbc9e59afp+1, -0x1.f717cd335a7b3p-53, -0x1.d32a2a65bfd63p-107, 0x1.f20a65f2fac55p+2, -0x1.1d258e4b0be84p-53, 0x1.9d4d2977150efp+4, 0x1.c1137124d5c5bp+6, 0x1.267203d776b0ep+9,\
     0x1.99a6337da39ddp+11, 0x1.293c3f78d3bdbp+14, 0x1.bb97aa0b71e45p+16, 0x1.51ea3345f5349p+19, 0x1.057f65c64b21bp+22, 0x1.99c8650e3a38bp+24, 0x1.44520c3a4bb84p+27, 0x1.02d2219647af7p+30, 0x1.9ffcd984abdd5p+32, 0x1.50494b0fb07d3p+35},\
    {-0x1.fa471547c2fe5p+1, -0x1.70d4561291237p-56, 0x1.9e6fadbbc171ap-111, -0x1.4b99d966c5647p+4, 0x1.9cba2450afff3p-50, 0x1.f76deae0436bep+7, -0x1.d25359d4b2f38p+11, 0x1.e8f829f141aa5p+15,\
     -0x1.116f7806d26d3p+20, 0x1.3e8f3ab9fc1f4p+24, -0x1.7dbbe062ffd9ep+28, 0x1.d2f76de7bd027p+32, -0x1.2225fe4f8493dp+37, 0x1.6d12ae1936a57p+41, -0x1.cffc2a8f5fd74p+45, 0x1.294e1bddb6102p+50, -0x1.7fab626523b36p+54, 0x1.f211ab5311400p+58},\
    {-0x1.0284e78599581p+2, 0x1.e78c1e9e43cfep-53, -0x1.2ac17bfd6be92p-108, 0x1.aca5cf4921642p+4, 0x1.a46a2e0d8fe10p-51, 0x1.44415cd813f8ep+8, 0x1.559b11b2a9c7cp+12, 0x1.96d18e21aebdbp+16,\
     0x1.0261eb5732e40p+21, 0x1.55e3dbf99eb3dp+25, 0x1.d14fe49c4e437p+29, 0x1.433dce282da6ep+34, 0x1.c8399c7588cd0p+38, 0x1.45fbe666d9402p+43, 0x1.d68d794caefcep+47, 0x1.56729dc75f00cp+52, 0x1.f5ec3352c68c7p+56, 0x1.720575617731cp+61},\
    {-0x1.3f7577a6eeafdp+2, 0x1.5de5eab7f12cfp-53, -0x1.4075f5e0494a2p-110, -0x1.d224a3ef9e41fp+6, -0x1.9be272a13babcp-48, 0x1.b533c678a3956p+12, -0x1.0d3f7fee65d34p+19, 0x1.752a6f5ac2726p+25,\
     -0x1.13d5d163bd3f7p+32, 0x1.a8c5c53458ca5p+38, -0x1.5068b3ed69409p+45, 0x1.0ffa575ea7fe9p+52, -0x1.bec12dd78a14bp+58, 0x1.7382570f089d4p+65, -0x1.380ebf618414ep+72, 0x1.084de4426e886p+79, -0x1.c2d90d8b990e9p+85, 0x1.82d0a2bda7309p+92},\
    {-0x1.4086a57f0b6d9p+2, -0x1.95262b72ca9cap-55, -0x1.bd98d5e0861aap-109, 0x1.ed72e0829ae02p+6, -0x1.fdc1859aea473p-50, 0x1.cecc32ec22f9bp+12, 0x1.253d8563f7264p+19, 0x1.a225df2da6e63p+25,\
     0x1.3e01773762671p+32, 0x1.f7d8d5bdcb186p+38, 0x1.9a8d00c77a92cp+45, 0x1.557fd8c490b4bp+52, 0x1.209221a6240a0p+59, 0x1.edc98d3bbb5dap+65, 0x1.aabd28e6f7c6bp+72, 0x1.73de2dd9728eep+79, 0x1.465182ebf6449p+86, 0x1.200d7ad1db285p+93},\
    {-0x1.7fe92f591f40dp+2, -0x1.7dd4ed62cbd32p-52, 0x1.2071c071a2146p-108, -0x1.661f6a43a5e12p+9, -0x1.0c437b83bc0e6p-45, 0x1.f79dcb794f26fp+17, -0x1.d6e8088a19ffep+26, 0x1.ef5d308dbfc97p+35,\
     -0x1.15ea6b0ab529ep+45, 0x1.44d54e9fe2397p+54, -0x1.8684e40cebb3dp+63, 0x1.df44c1d81c723p+72, -0x1.2ac3053f4ee19p+82, 0x1.79226ae04a7a4p+91, -0x1.e0dffb5f77a15p+100, 0x1.352178907a204p+110, -0x1.903aa9af8baf3p+119, 0x1.04a1032c75e6ep+129},\
    {-0x1.8016b25897c8dp+2, 0x1.27e0f49a4ba72p-54, -0x1.72e1ab15a4d03p-110, 0x1.69de49e3af2aap+9, 0x1.954b690943b33p-47, 0x1.fce23484cfd10p+17, 0x1.de503a3c37c40p+26, 0x1.f9c7b52558abbp+35,\
     0x1.1d3d50714416ap+45, 0x1.4f21e2fb9e060p+54, 0x1.9500994cd8a9ep+63, 0x1.f3a2c23c19d79p+72, 0x1.39152652eb3abp+82, 0x1.8d45f8be8912ep+91, 0x1.fd3214a70281fp+100, 0x1.490b47682046dp+110, 0x1.ac3b9652b43f1p+119, 0x1.1851c435e895cp+129},\
    {-0x1.bffcbf76b86f0p+2, 0x1.853b29347b806p-57, -0x1.0fa018051dd41p-111, -0x1.3abf7a5cea91bp+12, -0x1.8257b8abd0511p-42, 0x1.8349a2550422dp+23, -0x1.3d91dadc98428p+35, 0x1.24f3d636f3339p+47,\
     -0x1.20427df1b3492p+59, 0x1.2775e857fb69cp+71, -0x1.377e70b463c13p+83, 0x1.4f3d28edba5cdp+95, -0x1.6e8557168cf8ep+107, 0x1.95bb17ce4279bp+119, -0x1.c5ac12d48f08ep+131, 0x1.ff816dad7515cp+143, -0x1.225f4a6a494c5p+156, 0x1.4ba3e5c03fddfp+168},\
    {-0x1.c0033fdedfe1fp+2, 0x1.20bb7d2324678p-52, 0x1.f5536678d69d3p-106, 0x1.3b407aa387bd1p+12, 0x1.da1e57343b1efp-43, 0x1.83e85daafbad6p+23, 0x1.3e552b5e3c226p+35, 0x1.25e42a45e905bp+47,\
     0x1.216a3560743eep+59, 0x1.28e1c70ef5313p+71, 0x1.393e2bc330081p+83, 0x1.5164141f5ae6ap+95, 0x1.712b3a86e1be0p+107, 0x1.98fd36b906d52p+119, 0x1.c9ae6ef62604ap+131, 0x1.02382a95938fcp+144, 0x1.256845ecbeb17p+156, 0x1.4f5ff358f4caep+168},\
    {-0x1.ffff97f8159cfp+2, -0x1.e54f415a91586p-55, -0x1.53a5d106f9a3ep-109, -0x1.3af76fe4c2fabp+15, -0x1.7cc92f0b996a5p-40, 0x1.838e76caaf123p+29, -0x1.3de68b3256526p+44, 0x1.255c052530c71p+59,\
     -0x1.20c2a8418126ap+74, 0x1.28139342cef00p+89, -0x1.384066c322246p+104, 0x1.502bc4dad47d3p+119, -0x1.6faadfece0e2fp+134, 0x1.9724323c8991ep+149, -0x1.c7684c96f2617p+164, 0x1.00d1f4874360ap+180, -0x1.23af6dd4635e3p+195, 0x1.4d41695948489p+210},\
    {-0x1.000034028b3f9p+3, -0x1.f60cb3cec1cedp-52, 0x1.ea26620d6b1cap-106, 0x1.3b088fed67718p+15, -0x1.505613ba29a31p-39, 0x1.83a3893550edcp+29, 0x1.3e0078db8ada4p+44, 0x1.257bec9464251p+59,\
     0x1.20e9ea0755a47p+74, 0x1.2843e1313c83bp+89, 0x1.387bd6a785478p+104, 0x1.5074e788de770p+119, 0x1.7004dd990d7d9p+134, 0x1.9792ed5f6dfc9p+149, 0x1.c7f08cdaef517p+164, 0x1.0125c811215a5p+180, 0x1.2416931f15426p+195, 0x1.4dc0543c441a3p+210},\
    {-0x1.1ffffa3884bd0p+3, -0x1.ff90c9d2ae925p-53, 0x1.30c0efef78c04p-107, -0x1.625edfc63db2fp+18, 0x1.da7fc3ed69467p-37, 0x1.ea8c150480a7ap+35, -0x1.c4b30e4bc55c1p+53, 0x1.d5fe468dbbf03p+71,\
     -0x1.043d21bc24decp+90, 0x1.2c334ae535e1dp+108, -0x1.64314b431cd64p+126, 0x1.af6ed589b3a86p+144, -0x1.096e446edcfb3p+163, 0x1.4aaf49e713c02p+181, -0x1.a0246d9c1b687p+199, 0x1.0806315c1aa49p+218, -0x1.515dd6b889a42p+236, 0x1.b1a5fe767c44bp+254},\
    {-0x1.200005c7768fbp+3, -0x1.b5b610ffb70d4p-54, -0x1.deb7ad09ec5eap-108, 0x1.6261203919440p+18, 0x1.7d5e8272cda81p-38, 0x1.ea8f32fb7f586p+35, 0x1.c4b75ee68e2bap+53, 0x1.d6043fa1ffaa5p+71,\
     0x1.04414411db7f4p+90, 0x1.2c3903ec9c90cp+108, 0x1.64393744bb9bdp+126, 0x1.af79ccdc71d33p+144, 0x1.0975db7d71fc6p+163, 0x1.4ab9cba1e346ep+181, 0x1.a032f8f11473dp+199, 0x1.0810426bfac85p+218, 0x1.516bc616e3904p+236, 0x1.b1b948b0b8090p+254},\
    {-0x1.3fffff6c0d7c0p+3, 0x1.197cea8c42d7dp-51, 0x1.7072c5a292198p-105, -0x1.baf7da5f3795dp+21, -0x1.16a79518c8122p-33, 0x1.7f3e8791fa0d2p+42, -0x1.ba18befcaaa63p+63, 0x1.1ede14765dc0cp+85,\
     -0x1.8d1a9ab5a5050p+106, 0x1.1e4d8c35d22ccp+128, -0x1.a8a191db10900p+149, 0x1.4174f65ff8680p+171, -0x1.ee6d90f2332c5p+192, 0x1.80fd3420fba1dp+214, -0x1.2ecd481762ff2p+236, 0x1.e04a0b28da2b0p+257, -0x1.7f91af3f00393p+279, 0x1.342652fd50c8cp+301},\
    {-0x1.40000093f2777p+3, -0x1.927b45d95e154p-52, -0x1.0780c21b6e452p-106, 0x1.baf825a0c63b2p+21, -0x1.20323f10165f2p-35, 0x1.7f3ec8ae05f2ep+42, 0x1.ba192fa62a5c8p+63, 0x1.1ede75ef431b0p+85,\
     0x1.8d1b435ece20fp+106, 0x1.1e4e1e218c99cp+128, 0x1.a8a28e596cccep+149, 0x1.4175d0d35b3d4p+171, 0x1.ee6f0af10b983p+192, 0x1.80fe7b2913e7cp+214, 0x1.2ece6307c7df4p+236, 0x1.e04bf4be0137bp+257, 0x1.7f9356d1e72e2p+279, 0x1.3427c1744d521p+301},\
    {-0x1.5ffffff28cdd4p+3, 0x1.c9924a65aa486p-53, -0x1.8d05a4e458063p-108, -0x1.308a7d8eadb7cp+25, 0x1.a95a609877977p-31, 0x1.6a4938065bfd2p+49, -0x1.1f51f646980c5p+74, 0x1.005993b17e047p+99,\
     -0x1.e7ee7dccf100cp+123, 0x1.e3b550a815c55p+148, -0x1.ed38daa0d4c2cp+173, 0x1.00b346bb02a7dp+199, -0x1.0f71919049fbdp+224, 0x1.229f2440f731ep+249, -0x1.3a4c2ff760a7cp+274, 0x1.56bc218a07779p+299, -0x1.785bd6701e70bp+324, 0x1.9fbdc2ececfc3p+349},\
    {-0x1.6000000d7322ap+3, -0x1.8aecb2d37ff52p-51, -0x1.c97d472001b98p-109, 0x1.308a827152450p+25, -0x1.1233b372bfd9ep-29, 0x1.6a493dd62402ep+49, 0x1.1f51fd307a7cdp+74, 0x1.00599beaf8731p+99,\
     0x1.e7ee915e59f90p+123, 0x1.e3b567ef58977p+148, 0x1.ed38f6520c29fp+173, 0x1.00b35733b93d4p+199, 0x1.0f71a5288c1c1p+224, 0x1.229f3b905f980p+249, 0x1.3a4c4bb249170p+274, 0x1.56bc4286fc1a7p+299, 0x1.785bfdae59cc7p+324, 0x1.9fbdf19c0ea44p+349},\
    {-0x1.7ffffffee1127p+3, -0x1.ce1f7906b30f5p-54, 0x1.b43a13e31b9dfp-111, -0x1.c8cfbfaf2b0c8p+28, 0x1.7e94018c6c78dp-27, 0x1.97926203e98acp+56, -0x1.e4da54ebc6dacp+84, 0x1.447163ae314a4p+113,\
     -0x1.cf2769e629665p+141, 0x1.585bdc3e1a1e0p+170, -0x1.075951fd3e6e6p+199, 0x1.9b2f368a135bap+227, -0x1.4619ae6d212bep+256, 0x1.05dadf39fe06dp+285, -0x1.a8c7f835a5b74p+313, 0x1.5b6940a5e9dd8p+342, -0x1.1e1ece477df90p+371, 0x1.da1721d8c8955p+399},\
    {-0x1.800000011eed9p+3, 0x1.19d5307e1fb5ep-53, 0x1.8f0dbe4153150p-109, 0x1.c8cfc050d4f38p+28, -0x1.7ef0726d4e7acp-26, 0x1.9792629426754p+56, 0x1.e4da55ed2869fp+84, 0x1.44716493d49d4p+113,\
     0x1.cf276b7feead7p+141, 0x1.585bddabb4165p+170, 0x1.075953436fe86p+199, 0x1.9b2f38d024339p+227, 0x1.4619b074745a5p+256, 0x1.05dae10956d50p+285, 0x1.a8c7fb7073eadp+313, 0x1.5b69438798ffep+342, 0x1.1e1ed0d9a9469p+371, 0x1.da17266f3bd61p+399},\
    {-0x1.9fffffffe9edcp+3, 0x1.84f40342d001cp-51, 0x1.50556e5aede66p-105, -0x1.7328cbfacb4e5p+32, -0x1.eae875d913775p-24, 0x1.0d0fa2e06b2f1p+64, -0x1.04105bec453b2p+96, 0x1.1ac9dd401f2e4p+128,\
     -0x1.47ffb069fc5a3p+160, 0x1.8c49d9a550bffp+192, -0x1.ec79de0e58f55p+224, 0x1.38615a9e729aap+257, -0x1.929453f57ff5ep+289, 0x1.06a78089cd9f2p+322, -0x1.5a302f95ffb66p+354, 0x1.cc176afbf85abp+386, -0x1.33dfa8748ce7ep+419, 0x1.9e7c094cbb0c4p+451},\
    {-0x1.a000000016124p+3, -0x1.84e03341ee8ddp-51, 0x1.f8391fef50bd4p-105, 0x1.7328cc0534b1bp+32, -0x1.f63c3a52c12bfp-24, 0x1.0d0fa2e7f760fp+64, 0x1.04105bf7369b6p+96, 0x1.1ac9dd4ffcbb2p+128,\
     0x1.47ffb080fcf49p+160, 0x1.8c49d9c6aa4a2p+192, 0x1.ec79de3eb3092p+224, 0x1.38615ac17fba5p+257, 0x1.929454285190cp+289, 0x1.06a780aea48d7p+322, 0x1.5a302fcb6910cp+354, 0x1.cc176b49688bap+386, 0x1.33dfa8acafdf0p+419, 0x1.9e7c099e1eaa8p+451},\
    {-0x1.bffffffffe6c7p+3, 0x1.d2a30f3dae0fbp-51, 0x1.774491db8dc05p-107, -0x1.44c3b27faa6bcp+36, -0x1.1972c0b160b2bp-21, 0x1.9bfff16cfee53p+71, -0x1.5c71eb305bbbap+107, 0x1.4b87e88b6aa31p+143,\
     -0x1.50778e66e7830p+179, 0x1.63b46f95b59ebp+215, -0x1.82c962042fed7p+251, 0x1.ad58bb7f9c093p+287, -0x1.e427911e97b22p+323, 0x1.14644886639ffp+360, -0x1.3ec2018a6e348p+396, 0x1.72ae717cbca89p+432, -0x1.b213d35bbabb0p+468, 0x1.ff576cbfba8e2p+504},\
    {-0x1.c000000001939p+3, -0x1.d2a2f4a73af63p-51, 0x1.1ce11583b5fc3p-105, 0x1.44c3b28055944p+36, -0x1.198d430af8ae5p-21, 0x1.9bfff16dd8075p+71, 0x1.5c71eb316f30cp+107, 0x1.4b87e88cc815ep+143,\
     0x1.50778e68a2d38p+179, 0x1.63b46f97e8037p+215, 0x1.82c96206f962dp+251, 0x1.ad58bb8325232p+287, 0x1.e427912313eaep+323, 0x1.146448893bf2bp+360, 0x1.3ec2018e0a2a0p+396, 0x1.72ae718150cdap+432, 0x1.b213d36189b9fp+468, 0x1.ff576cc718f98p+504},\
    {-0x1.dfffffffffe52p+3, 0x1.fcf9ccfd8867ep-51, 0x1.1c0ec5919506cp-105, -0x1.30777757fa84ap+40, 0x1.86558a534b1cdp-14, 0x1.6a1bf33124eddp+79, -0x1.1f1c1dba92510p+119, 0x1.0019876a17ea6p+159,\
     -0x1.e7562019511d5p+198, 0x1.e300149e44802p+238, -0x1.ec6148051096fp+278, 0x1.0033115fea2e8p+319, -0x1.0ed9119b5a477p+359, 0x1.21e9bf7818640p+399, -0x1.39746ce3ecf1ep+439, 0x1.55bb7d2cf50dbp+479, -0x1.772a91f2a16cbp+519, 0x1.9e52a7c8ddf0ep+559},\
    {-0x1.e0000000001aep+3, -0x1.fcf9ccde87210p-51, -0x1.f0bd3dc636171p-105, 0x1.30777758057b6p+40, 0x1.865586b64d417p-14, 0x1.6a1bf33131f80p+79, 0x1.1f1c1dbaa1d33p+119, 0x1.0019876a2a5c3p+159,\
     0x1.e75620197cfcep+198, 0x1.e300149e78ae1p+238, 0x1.ec6148054ea5dp+278, 0x1.003311600f15dp+319, 0x1.0ed9119b862b6p+359, 0x1.21e9bf784c973p+399, 0x1.39746ce42b070p+439, 0x1.55bb7d2d3ee3cp+479, 0x1.772a91f2f93d5p+519, 0x1.9e52a7c94661ap+559},\
    {-0x1.fffffffffffe5p+3, -0x1.80c18cc43ea26p-53, 0x1.8d1b2eec9d961p-108, -0x1.30777757ffa65p+44, 0x1.9865588a24e58p-10, 0x1.6a1bf3312b084p+87, -0x1.1f1c1dba99933p+131, 0x1.0019876a208c6p+175,\
     -0x1.e756201965a62p+218, 0x1.e300149e5cec2p+262, -0x1.ec6148052da29p+306, 0x1.0033115ffb743p+351, -0x1.0ed9119b6ed25p+395, 0x1.21e9bf7830d28p+439, -0x1.39746ce40a008p+483, 0x1.55bb7d2d179c9p+527, -0x1.772a91f2ca868p+571, 0x1.9e52a7c90ed2bp+615},\
    {-0x1.000000000000dp+4, -0x1.cfe7ce6768509p-50, -0x1.7f27723e2ef9fp-105, 0x1.307777580059bp+44, 0x1.9865588674a06p-10, 0x1.6a1bf3312bddap+87, 0x1.1f1c1dba9a910p+131, 0x1.0019876a21ba3p+175,\
     0x1.e756201968742p+218, 0x1.e300149e60421p+262, 0x1.ec614805319a3p+306, 0x1.0033115ffdd02p+351, 0x1.0ed9119b71a09p+395, 0x1.21e9bf783428bp+439, 0x1.39746ce40df87p+483, 0x1.55bb7d2d1c54ep+527, 0x1.772a91f2d0239p+571, 0x1.9e52a7c9157fdp+615},\
    {-0x1.0ffffffffffffp+4, -0x1.ab4e23f3d49f1p-51, 0x1.dcafbae8ffbabp-107, -0x1.437eeecd7ffa4p+48, -0x1.9ef222eff1e74p-6, 0x1.98c98d8a82058p+95, -0x1.5860a968a2643p+143, 0x1.466188ec8819dp+191,\
     -0x1.49f2502d33c5cp+239, 0x1.5b72f0d68641cp+287, -0x1.7855662fb1671p+335, 0x1.a01c8de3771d1p+383, -0x1.d365a4a778f0ep+431, 0x1.09c872a5ea86dp+480, -0x1.31535b4f28ae9p+528, 0x1.61ac9960b5329p+576, -0x1.9c8b336ef6efcp+624, 0x1.e4139993f9e21p+672},\
    {-0x1.1000000000001p+4, 0x1.ab4e23f3d4bbcp-51, -0x1.db2968e993b05p-106, 0x1.437eeecd8005cp+48, -0x1.9ef222eff5716p-6, 0x1.98c98d8a82140p+95, 0x1.5860a968a2767p+143, 0x1.466188ec8830fp+191,\
     0x1.49f2502d33e2fp+239, 0x1.5b72f0d68666ap+287, 0x1.7855662fb195bp+335, 0x1.a01c8de37757fp+383, 0x1.d365a4a7793b5p+431, 0x1.09c872a5eab5dp+480, 0x1.31535b4f28ea0p+528, 0x1.61ac9960b57dbp+576, 0x1.9c8b336ef74ebp+624, 0x1.e4139993fa5a0p+672},\
    {-0x1.2000000000000p+4, 0x1.6827863b97d9ap-53, 0x1.7ba6a46cf3c1cp-107, -0x1.6beecca72fffap+52, -0x1.50500b7a70397p-3, 0x1.02af8b91a64bdp+104, -0x1.ea55a1357b43fp+155, 0x1.05664db1b069ap+208,\
     -0x1.294984ff8a674p+260, 0x1.603077a9f1971p+312, -0x1.ad26c963dfeafp+364, 0x1.0ae9c34e52e46p+417, -0x1.51494975895bep+469, 0x1.af8a96a391775p+521, -0x1.16db4cd505adep+574, 0x1.6b63fdb054071p+626, -0x1.dcdcb33fe3f05p+678, 0x1.3abed21efffe2p+731},\
    {-0x1.2000000000000p+4, -0x1.6827863b97d95p-53, 0x1.9e268029a25b6p-107, 0x1.6beecca730006p+52, -0x1.50500b7a703fep-3, 0x1.02af8b91a64c5p+104, 0x1.ea55a1357b456p+155, 0x1.05664db1b06abp+208,\
     0x1.294984ff8a68cp+260, 0x1.603077a9f1993p+312, 0x1.ad26c963dfee0p+364, 0x1.0ae9c34e52e68p+417, 0x1.51494975895eep+469, 0x1.af8a96a3917bbp+521, 0x1.16db4cd505b0fp+574, 0x1.6b63fdb0540b7p+626, 0x1.dcdcb33fe3f68p+678, 0x1.3abed21f00028p+731},\
    {-0x1.3000000000000p+4, 0x1.2f49b46814157p-57, 0x1.1893668e3dbd0p-111, -0x1.b02b930689000p+56, 0x1.7c3a215354e9ep+2, 0x1.6cc98bd063814p+112, -0x1.9a8c22321f6dcp+168, 0x1.03e6e222ba47ep+225,\
     -0x1.5f017bb8a3a05p+281, 0x1.edcbdfae7a0b6p+337, -0x1.6542e4fcb7be6p+394, 0x1.07dcfdcd63158p+451, -0x1.8bf368d8c283ap+507, 0x1.2ccb2acc1274ap+564, -0x1.cda0672de906ep+620, 0x1.652e1334f1949p+677, -0x1.164c40bf4c11ap+734, 0x1.b4412f9f40a79p+790}}
#define HP5_TWO_OVER_PI_0 {\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x1.45f306dc9c883p-113, 0x1.45f306dc9c883p-97, 0x1.45f306dc9c883p-81, 0x1.45f306dc9c883p-65,\
    0x1.45f306dc9c883p-49, 0x1.45f306dc9c883p-33, 0x1.45f306dc9c883p-17, 0x1.45f306dc9c883p-1,\
    -0x1.9f246c6efab58p+2, -0x1.1b1bbead603d9p+4, 0x1.054a7f09d5f48p+2, -0x1.603d8a82e0acbp+4,\
    -0x1.8a82e0acb223fp+4, 0x1.1f534ddc0db63p+4, -0x1.6447e493ad4cep+3, 0x1.b6c52b3278872p-1,\
    -0x1.d6a66c3bc6fbep+4, 0x1.93c439041fe51p+4, 0x1.c820ff28b1d5fp+1, 0x1.fe5163abdebbcp+0,\
    0x1.163abdebbc562p+4, -0x1.421443a9e48dcp+4, -0x1.0ea79236e4717p+2, -0x1.e48db91c5bdb2p+4,\
    -0x1.b91c5bdb22d20p+4, -0x1.6f6c8b47fe6dbp+2, 0x1.ba5c00c925dd4p+3, -0x1.ff9b6d115f62ep+4,\
    0x1.25dd413a3243ap+3, -0x1.5f62e6de301e2p+4, 0x1.1921cfe1deb1dp+4, 0x1.cfe1deb1cb12ap+4,\
    0x1.deb1cb129a73fp+4, 0x1.cb129a73ee882p+4, -0x1.658c1177dca0bp+4, -0x1.177dca0ad144cp+0,\
    0x1.1afa975da2427p+1, -0x1.5a28976f62cc7p+3, -0x1.2edec598e3f65p+2, 0x1.3a671c09ad17ep+2,\
    0x1.c7026b45f7e41p+4, -0x1.94ba081bec66ep+4, 0x1.f7e413991d63ap+4, 0x1.3991d63983534p+0,\
    0x1.1d639835339f5p+4, -0x1.9f2b3182d8defp+2, 0x1.339f49c845f8cp+4, -0x1.6c6f740e8840ep+3,\
    0x1.17e2ef7e4a0ecp+2, 0x1.77bf250763ff1p+3, -0x1.b5f13801da001p+2, -0x1.3801da00087eap+2,\
    -0x1.da00087e99fc0p+2, -0x1.0fd33f8086877p-3, 0x1.6603fbcbc462dp+2, 0x1.fde5e2316b415p+3,\
    -0x1.0ee74a5f592e1p+4, 0x1.6b414da3eda6dp+3, 0x1.4da3eda6cfd9ep+3, 0x1.f6d367ecf27cbp+4,\
    -0x1.30261b069ec91p+3, 0x1.e4f96136e9e8cp+3, 0x1.6136e9e8c7ecdp+3, -0x1.161738132c340p+3,\
    0x1.8fd9a797fa8b6p+2, -0x1.961a015d28ad8p+4, 0x1.fea2d7527bac8p+4, -0x1.28ad84538141ap+4,\
    HP5_MATH_NAN}
#define HP5_TWO_OVER_PI_1 {\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    -0x1.6b01ec5417056p-167, -0x1.6b01ec5417056p-151, -0x1.6b01ec5417056p-135, -0x1.6b01ec5417056p-119,\
    -0x1.6b01ec5417056p-103, -0x1.6b01ec5417056p-87, -0x1.6b01ec5417056p-71, -0x1.6b01ec5417056p-55,\
    -0x1.ec54170565912p-55, 0x1.5f47d4d377037p-50, -0x1.596447e493ad5p-53, -0x1.11f924eb53362p-51,\
    -0x1.24eb53361de38p-51, -0x1.a99b0ef1bef80p-50, 0x1.e21c820ff28b2p-51, 0x1.07f9458eaf7afp-58,\
    -0x1.ae9c5421443aap-56, 0x1.8eaf7aef1586ep-50, -0x1.443a9e48db91cp-56, 0x1.586dc91b8e909p-54,\
    -0x1.236e4716f6c8bp-50, 0x1.b8e909374b802p-50, 0x1.26e9700324977p-55, -0x1.68ffcdb688afbp-51,\
    0x1.924bba8274648p-54, -0x1.115f62e6de302p-52, 0x1.3a32439fc3bd6p-53, -0x1.b78c0788538d4p-50,\
    -0x1.e214e34ed658cp-56, -0x1.4e34ed658c117p-52, -0x1.3b5963045df73p-50, -0x1.63045df7282b4p-50,\
    -0x1.77dca0ad144bbp-52, 0x1.afa975da24275p-51, 0x1.75da24274ce38p-51, 0x1.213a671c09ad1p-54,\
    0x1.338e04d68befdp-53, -0x1.fb29741037d8dp-53, -0x1.741037d8cdc54p-53, -0x1.bec66e29c67cbp-56,\
    0x1.cc8eb1cc1a99dp-51, -0x1.4e33e566305b2p-51, -0x1.f2b3182d8dee8p-50, -0x1.82d8dee81d108p-54,\
    -0x1.8dee81d1081b6p-50, 0x1.f8bbdf9283b20p-52, -0x1.081b5f13801dap-50, 0x1.41d8ffc4bffefp-51,\
    0x1.ff897ffde0598p-52, 0x1.7ffde05980fefp-52, 0x1.e05980fef2f12p-52, 0x1.80fef2f118b5ap-52,\
    -0x1.0d0ee74a5f593p-52, -0x1.d297d64b824b2p-58, 0x1.a0a6d1f6d367fp-52, -0x1.2e092c98130d8p-52,\
    0x1.b4d9fb3c9f2c2p-50, -0x1.30d834f648b0cp-56, 0x1.3e584dba7a320p-51, 0x1.36e9e8c7ecd3dp-53,\
    -0x1.85ce04cb0d00bp-51, 0x1.fb34f2ff516bbp-51, 0x1.e5fea2d7527bbp-52, -0x1.5d28ad8453814p-52,\
    -0x1.5b08a7028341dp-53, -0x1.14e050683a131p-50, -0x1.41a0e84c2f8c6p-52, -0x1.d0985f18c10ebp-53,\
    HP5_MATH_NAN}
#define HP5_TWO_OVER_PI_2 {\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    -0x1.6447e493ad4cep-221, -0x1.6447e493ad4cep-205, -0x1.6447e493ad4cep-189, -0x1.6447e493ad4cep-173,\
    -0x1.6447e493ad4cep-157, -0x1.6447e493ad4cep-141, -0x1.6447e493ad4cep-125, -0x1.6447e493ad4cep-109,\
    0x1.b6c52b3278872p-113, -0x1.3ad4cd8778df8p-105, 0x1.93c439041fe51p-108, 0x1.0e4107f9458ebp-106,\
    0x1.07f9458eaf7afp-106, -0x1.ae9c5421443aap-104, -0x1.508510ea79237p-106, -0x1.d4f246dc8e2dfp-115,\
    0x1.b7246e3a424ddp-112, -0x1.b7238b7b645a4p-105, -0x1.6f6c8b47fe6dbp-110, 0x1.ba5c00c925dd4p-109,\
    -0x1.1ff9b6d115f63p-104, -0x1.b6d115f62e6dep-104, 0x1.413a32439fc3cp-109, -0x1.736f180f10a72p-107,\
    0x1.cfe1deb1cb12ap-108, 0x1.deb1cb129a73fp-108, 0x1.cb129a73ee882p-108, 0x1.29a73ee88235fp-104,\
    -0x1.177dca0ad144cp-112, -0x1.f7282b4512edfp-106, 0x1.f52ebb4484e9ap-104, -0x1.44bb7b16638fep-104,\
    -0x1.ec598e3f652e8p-106, -0x1.8e3f652e82070p-106, 0x1.35a2fbf209cc9p-107, 0x1.f7e413991d63ap-108,\
    -0x1.f633714e33e56p-107, 0x1.1d639835339f5p-108, 0x1.cc1a99cfa4e42p-107, 0x1.9cfa4e422fc5ep-111,\
    -0x1.6c6f740e8840ep-109, 0x1.08bf177bf2507p-105, -0x1.d1081b5f13802p-106, -0x1.b5f13801da001p-110,\
    0x1.d8ffc4bffef03p-107, -0x1.da00087e99fc0p-110, -0x1.0fd33f8086877p-115, 0x1.6603fbcbc462dp-110,\
    0x1.fde5e2316b415p-109, 0x1.788c5ad053690p-107, -0x1.d297d64b824b2p-106, 0x1.4da3eda6cfd9ep-109,\
    0x1.f6d367ecf27cbp-108, -0x1.8130d834f648bp-112, -0x1.86c1a7b24585dp-107, -0x1.a7b24585ce04dp-107,\
    0x1.b74f463f669e6p-104, 0x1.8fd9a797fa8b6p-110, -0x1.32c3402ba515bp-105, -0x1.00ae9456c229cp-107,\
    0x1.6ba93dd63f5f3p-107, -0x1.b08a7028341d1p-105, -0x1.c0a0d0742617cp-107, -0x1.a0e84c2f8c608p-108,\
    -0x1.30be31821d6b6p-110, 0x1.0739f78a5292fp-104, -0x1.0eb5ada2b2809p-109, -0x1.6b68aca025027p-107,\
    HP5_MATH_NAN}
#define HP5_TWO_OVER_PI_3 {\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,\
    0x1.e21c820ff28b2p-275, 0x1.e21c820ff28b2p-259, 0x1.e21c820ff28b2p-243, 0x1.e21c820ff28b2p-227,\
    0x1.e21c820ff28b2p-211, 0x1.e21c820ff28b2p-195, 0x1.e21c820ff28b2p-179, 0x1.e21c820ff28b2p-163,\
    0x1.07f9458eaf7afp-170, 0x1.fe5163abdebbcp-160, 0x1.8eaf7aef1586ep-162, -0x1.0a21d4f246dc9p-163,\
    -0x1.d4f246dc8e2dfp-163, 0x1.b7246e3a424ddp-160, 0x1.b8e909374b802p-162, 0x1.374b801924bbbp-170,\
    0x1.700324977504fp-167, 0x1.924bba8274648p-166, -0x1.115f62e6de302p-164, 0x1.3a32439fc3bd6p-165,\
    0x1.921cfe1deb1cbp-160, -0x1.80f10a71a76b3p-159, -0x1.4e34ed658c117p-164, 0x1.62534e7dd1047p-161,\
    -0x1.63045df7282b4p-162, -0x1.77dca0ad144bbp-164, 0x1.afa975da24275p-163, 0x1.4baed1213a672p-158,\
    0x1.213a671c09ad1p-166, 0x1.d338e04d68bf0p-161, -0x1.c7eca5d040df6p-159, 0x1.ad17df904e647p-158,\
    -0x1.037d8cdc538d0p-161, 0x1.3991d63983534p-160, -0x1.4e33e566305b2p-163, -0x1.f2b3182d8dee8p-162,\
    -0x1.8c16c6f740e88p-161, -0x1.8dee81d1081b6p-162, 0x1.7e2ef7e4a0ec8p-162, -0x1.036be27003b40p-167,\
    0x1.41d8ffc4bffefp-163, 0x1.8ffc4bffef02dp-159, 0x1.2fffbc0b301fep-161, 0x1.e05980fef2f12p-164,\
    -0x1.9fc04343b9d29p-162, -0x1.0d0ee74a5f593p-164, -0x1.d297d64b824b2p-170, 0x1.a0a6d1f6d367fp-164,\
    -0x1.2e092c98130d8p-164, -0x1.25930261b069fp-161, -0x1.8130d834f648bp-160, 0x1.3e584dba7a320p-163,\
    0x1.36e9e8c7ecd3dp-165, -0x1.738132c3402bap-169, 0x1.fb34f2ff516bbp-163, 0x1.3cbfd45aea4f7p-161,\
    -0x1.5d28ad8453814p-164, -0x1.5b08a7028341dp-165, -0x1.14e050683a131p-162, -0x1.41a0e84c2f8c6p-164,\
    -0x1.d0985f18c10ebp-165, 0x1.9e839cfbc5295p-159, -0x1.8c10eb5ada2b3p-161, -0x1.d6b5b45650128p-162,\
    0x1.2ea6bfb5fb120p-164, -0x1.65012813b81cbp-158, -0x1.0277039517bd5p-163, -0x1.c0e545ef53f9ap-161,\
    HP5_MATH_NAN}
#endif
