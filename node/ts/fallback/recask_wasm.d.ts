/** The package for browsers; what is used of it is in `module.ts`. */
declare module 'recask-wasm'
