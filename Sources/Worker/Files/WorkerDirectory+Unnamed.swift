import Foundation
import BatonOperations

/// The directories of workers that were given no name.
extension WorkerDirectory {
    /// How often another name is made up where there is a directory of that name already.
    private static let attemptsAtName = 8

    /// Takes the first directory of those in which workers without a name were before and that no process has locked; or
    /// makes another one, with another name.
    ///
    /// So a worker that is started again has the name and the identity of before.
    ///
    /// - Parameters:
    ///   - parent: the directory of all workers of a home; it is made where there is none.
    ///   - host: what the name begins with.
    /// - Throws: `WorkerError` where none can be made, written or locked.
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
            .directory,
            "No name can be made up for the worker: \"\(parent)\" has too many. Give it a --name."
        )
    }
}
