@_spi(Baton) import BatonOperations

/// The limit of the files that the operations of a job leave altogether.
///
/// The files count from the end of the attempt that leaves them to the end of the job, whether or not a worker still has them. What runs
/// again replaces what it had left. Copies do not count.
extension Scheduler {
    /// Makes a failure of a success whose files exceed the limit of their job, and lets the worker delete them.
    ///
    /// - Complexity: O(files).
    @inline(never)
    mutating func holdToFilesLimit(_ result: inout AttemptResult, of place: NodeIndex, at worker: WorkerIndex) {
        let node = graph[place]
        guard result.end == .exited(0), !graph.isEnding(node), graph.template(at: place).work.keepsFiles,
            let objection = objection(toFiles: result.files, of: node)
        else { return }
        let obsolete = Set(result.files.lazy.map(\.digest)).filter { files.users(of: $0).isEmpty }
        result.end = .unkeptFiles(objection)
        result.files = []
        release(obsolete.sorted(), at: worker)
    }

    /// Why the files of an attempt cannot be kept beside those of the other operations of the job, as a sentence; nil if they can.
    private func objection(toFiles kept: [KeptFile], of node: OperationNode) -> String? {
        let (asked, allowed) = (graph[node.job].settings.filesLimit, configuration.jobFilesLimit)
        guard let limit = [asked, allowed].compactMap({ $0 }).min() else { return nil }
        let id = graph.id(of: node)
        let new = JobFileSizes.bytes(of: kept)
        let sum = files.sizes.bytes(of: id.job) - JobFileSizes.bytes(of: files[id]?.files ?? []) + new
        guard sum > Int128(limit) else { return nil }
        let (source, advice) =
            asked == limit
            ? ("the job was submitted with (--files-limit)", "submit the job with a higher limit")
            : ("the coordinator allows each job (--job-files-limit)", "ask for a higher limit")
        let (own, whole) = (Self.text(of: new, above: limit), Self.text(of: sum, above: limit))
        return "Its files have \(own), and those of its job would have \(whole), more than the "
            + "\(ByteSize.text(of: limit)) that \(source). Declare fewer outputs, or \(advice)."
    }

    /// A number of bytes for people, which is exact if it is hardly above a limit.
    private static func text(of bytes: Int128, above limit: Int64) -> String {
        let bytes = Int64(clamping: bytes)
        let rough = ByteSize.roughText(of: bytes)
        return rough == ByteSize.roughText(of: limit) ? ByteSize.text(of: bytes) : rough
    }
}
