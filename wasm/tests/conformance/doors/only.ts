import type { Files } from '../door.js'

/** The content of the one file that there is. */
export function only(files: Files, name: string): Uint8Array {
  const content = files.get(name)
  const others = [...files.keys()].filter((each) => each !== name)
  if (content === undefined || others.length > 0) {
    throw new Error(content === undefined ? `${name} is gone` : `beside ${name} there are ${others}`)
  }
  return content
}
