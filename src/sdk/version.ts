/** The package's version, which a test holds against `package.json`: edge runtimes have no file to read it from. */
export const version = '0.1.0'
