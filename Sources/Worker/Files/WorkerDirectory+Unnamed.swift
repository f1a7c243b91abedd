@_spi(Baton) import BatonOperations

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The directories of workers without a given name.
extension WorkerDirectory {
    /// The number of names to try if a directory of a made-up name exists already.
    private static let attemptsAtName = 8

    /// Takes the first unlocked directory of an earlier worker without a name, or creates a directory with a new name.
    ///
    /// A restarted worker thereby gets its former name and identity.
    ///
    /// - Parameters:
    ///   - parent: the directory of all workers of a home, created if missing.
    ///   - host: the beginning of the name.
    /// - Throws: `WorkerError` if no directory can be created, written or locked.
    static func unnamed(in parent: String, host: String) throws(WorkerError) -> WorkerDirectory {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names.sorted() where WorkerIdentity.read("\(parent)/\(name)/identity")?.madeUpName == name {
            do throws(WorkerError) {
                return try WorkerDirectory("\(parent)/\(name)")
            } catch {
                guard error.code == .directoryInUse else { throw error }
            }
        }
        var random = SystemRandomNumberGenerator()
        for _ in 0..<attemptsAtName {
            let name = WorkerIdentity.makeUpName(host: host, using: &random)
            let path = "\(parent)/\(name)"
            guard !FileManager.default.fileExists(atPath: path) else { continue }
            return try WorkerDirectory(path, madeUpName: name)
        }
        throw WorkerError(
            .noName,
            "The worker cannot choose a name: \"\(parent)\" has too many worker directories."
        )
    }
}
