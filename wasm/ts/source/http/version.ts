/** Which state of a file an answer is of. */
export interface Version {
  readonly etag: string | null
  readonly modified: string | null
  /** Whether the file could not have changed twice within the second of `modified`. */
  readonly isSettled: boolean
  readonly total: number | undefined
}

/** What the headers say; across origins a host may hide all of them. */
export function versionOf(headers: Headers, total: number | undefined): Version {
  const modified = headers.get('Last-Modified')
  const age = Date.parse(headers.get('Date') ?? '') - Date.parse(modified ?? '')
  return { etag: headers.get('ETag'), modified, isSettled: age >= 1000, total }
}

/** The validator for `If-Range`: a strong one, by RFC 9110, 13.1.5. */
export function strongValidator({ etag, modified, isSettled }: Version): string | undefined {
  if (etag !== null) return etag.startsWith('W/') ? undefined : etag
  return modified !== null && isSettled ? modified : undefined
}

/** How two answers tell that the file changed between them; `undefined` where they do not. */
export function difference(one: Version, other: Version): string | undefined {
  if (one.total !== undefined && other.total !== undefined && one.total !== other.total) {
    return `it had ${one.total} bytes and now has ${other.total}`
  }
  if (one.etag !== null && other.etag !== null) {
    // A host may compare weakly what it compared strongly before: the tag is what counts.
    const isSame = one.etag.replace(/^W\//, '') === other.etag.replace(/^W\//, '')
    return isSame ? undefined : `its ETag was ${one.etag} and now is ${other.etag}`
  }
  if (one.modified !== null && other.modified !== null && one.modified !== other.modified) {
    return `it was of ${one.modified} and now is of ${other.modified}`
  }
  return undefined
}

/** What both answers say together. */
export function together(one: Version, other: Version): Version {
  return {
    etag: one.etag ?? other.etag,
    modified: one.modified ?? other.modified,
    isSettled: one.isSettled || other.isSettled,
    total: one.total ?? other.total,
  }
}
