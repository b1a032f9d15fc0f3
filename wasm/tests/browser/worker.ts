/** A module worker that does tasks. */

import { perform } from './tasks.js'
import type { Answer, Order } from './protocol.js'

addEventListener('message', ({ data }: MessageEvent<Order>) => {
  void perform(data).then((answer: Answer) => postMessage(answer))
})
// The page waits for it.
postMessage('started')
