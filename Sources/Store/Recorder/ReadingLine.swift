/// The line of a question that is answered beside the recorder's thread.
///
/// Each line has a thread and a connection of its own: no question about a page waits for one about all of a job.
package enum ReadingLine: Sendable {
    /// Questions that read a page at most.
    case pages
    /// Questions that may read all of a job.
    case jobs
}
