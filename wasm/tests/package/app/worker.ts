import { work } from './work.js'

work().then(postMessage, (error: unknown) => postMessage(String(error)))
