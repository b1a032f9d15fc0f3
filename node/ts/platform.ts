/** Which prebuilt addon runs on this machine. */

/** `linux-x64-gnu`, `darwin-arm64`, `win32-x64-msvc`, …; also for machines that there is none for. */
export function tripleOf(platform: string, arch: string, isMusl: () => boolean): string {
  if (platform === 'linux') return `linux-${arch}-${isMusl() ? 'musl' : 'gnu'}`
  if (platform === 'win32') return `win32-${arch}-msvc`
  return `${platform}-${arch}`
}

export function triple(): string {
  return tripleOf(process.platform, process.arch, isMusl)
}

/** The report of a process names the GNU C library that it runs on, where it does. Asking for names of hosts would take long. */
function isMusl(): boolean {
  const report = process.report as typeof process.report & { excludeNetwork?: boolean }
  const before = report.excludeNetwork
  report.excludeNetwork = true
  try {
    const { header } = report.getReport() as { header?: { glibcVersionRuntime?: string } }
    return header?.glibcVersionRuntime === undefined
  } finally {
    if (before !== undefined) report.excludeNetwork = before
  }
}
