/** The work on the main thread of a page and in a module worker. */

import { work, type Report } from './work.js'

declare global {
  interface Window {
    inPage: () => Promise<Report | string>
    inWorker: () => Promise<Report | string>
  }
}

window.inPage = () => work().catch((error: unknown) => String(error))
window.inWorker = () =>
  new Promise((resolve) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }: MessageEvent<Report | string>) => resolve(data)
    worker.onerror = ({ message }) => resolve(message)
  })
