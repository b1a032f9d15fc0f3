/** The JavaScript that wasm-bindgen makes; it lies beside the compiled package. */
declare module '*/recask_wasm.js'
