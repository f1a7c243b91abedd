@_spi(Baton) import BatonOperations

/// The limit of the files that the operations of a job leave altogether.
///
/// The files count from the end of the attempt that leaves them to the end of the job, whether or not a worker still has them. The files of
/// a rerun replace the earlier ones. Copies do not count.
extension Scheduler {
    /// Turns a success into a failure if its files exceed the limit of the job, and lets the worker delete them; nil if they do not.
    ///
    /// - Complexity: O(files).
    @inline(never)
    mutating func failure(bySizeOf end: ReportedEnd, of place: NodeIndex, at worker: WorkerIndex) -> ReportedEnd? {
        let node = graph[place]
        guard end.result.end == .exited(0), !graph.isEnding(node), graph.template(at: place).work.keepsFiles,
            let objection = objection(toFiles: end.result.files, of: node)
        else { return nil }
        let obsolete = Set(end.result.files.lazy.map(\.digest)).filter { files.users(of: $0).isEmpty }
        release(obsolete.sorted(), at: worker)
        var failure = end
        failure.result.end = .unkeptFiles(objection)
        failure.result.files = []
        return failure
    }

    /// Why the files of an attempt cannot be kept beside those of the other operations of the job, as a sentence; nil if they can.
    private func objection(toFiles kept: [KeptFile], of node: OperationNode) -> String? {
        let (asked, allowed) = (graph[node.job].settings.filesLimit, configuration.jobFilesLimit)
        guard asked != nil || allowed != nil else { return nil }
        let id = graph.id(of: node)
        let new = JobFileSizes.bytes(of: kept)
        let sum = files.sizes.bytes(of: id.job) - JobFileSizes.bytes(of: files[id]?.files ?? []) + new
        // Where the coordinator does not allow them, a higher limit of the job would not help.
        let isForbidden = allowed.map { sum > Int128($0) } ?? false
        guard let limit = isForbidden ? allowed : asked, sum > Int128(limit) else { return nil }
        let (source, advice) =
            isForbidden
            ? ("the coordinator allows each job (--job-files-limit)", "have the coordinator allow more")
            : ("the job was submitted with (--files-limit)", "submit the job with a higher limit")
        let (own, whole) = (Self.text(of: new, above: limit), Self.text(of: sum, above: limit))
        return "Its files have \(own), and all files of its job would have \(whole), more than the "
            + "\(ByteSize.text(of: limit)) that \(source). Declare fewer outputs, or \(advice)."
    }

    /// A number of bytes for people, which is exact if it is hardly above a limit.
    private static func text(of bytes: Int128, above limit: Int64) -> String {
        let bytes = Int64(clamping: bytes)
        let rough = ByteSize.roughText(of: bytes)
        return rough == ByteSize.roughText(of: limit) ? ByteSize.text(of: bytes) : rough
    }
}
