/** Folders whose files can be listed and read in place. */

export interface Folder {
  /** The names of what is directly in it. */
  list(): Promise<{ readonly files: readonly string[]; readonly folders: readonly string[] }>
  folder(name: string): Promise<Folder | undefined>
  file(name: string): Promise<OpenFile | undefined>
  /** Closes what is open only to be read again soon. */
  letGo?(): void
}

/** A file, open for one round of reads. */
export interface OpenFile {
  readonly size: number
  /** A view where the bytes are in memory already. The range is within the size. */
  read(start: number, end: number): Uint8Array | Promise<Uint8Array>
  close?(): void
}

/** A file that the browser reads. It is the state in which it was picked; when it changed since, reading fails. */
export function openBlob(blob: Blob): OpenFile {
  return {
    size: blob.size,
    read: async (start, end) => new Uint8Array(await blob.slice(start, end).arrayBuffer()),
  }
}
