@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The inputs of an attempt that its work picks into places of the attempt's own directory.
///
/// Files of dependencies are links to the files that the worker keeps, as among the inputs themselves; results are copies.
struct PickedInputs {
    /// An input that can be picked.
    private struct Candidate {
        /// The parts of the path below the directory of inputs.
        let names: [String]
        /// What a dependency left; nil for a result.
        let file: KeptFile?

        /// The path below the directory of inputs.
        var path: String { names.joined(separator: "/") }
    }

    /// The most inputs that a sentence names.
    private static let mostNamed = 3

    private let directory: String
    private let inputs: String
    private let store: FileStore
    private let candidates: [Candidate]
    /// The places so far by their bytes, with the positions of their inputs: texts with different bytes may be equal.
    private var placed: [[UInt8]: Int] = [:]
    /// The directories so far.
    private var made: Set<[UInt8]> = []

    /// Finds the inputs that can be picked.
    ///
    /// - Parameters:
    ///   - files: the files of the dependencies.
    ///   - inputs: the directory of inputs, with the results; it may be missing.
    ///   - directory: the directory of the attempt.
    ///   - store: what the files are linked from.
    /// - Throws: ``FileFailure`` if the directory of inputs cannot be read.
    init(_ files: [InputFile], in inputs: String, for directory: String, from store: FileStore) throws(FileFailure) {
        self.directory = directory
        self.inputs = inputs
        self.store = store
        var candidates = files.map {
            Candidate(names: [$0.folder] + OutputPattern.names(of: $0.file.path), file: $0.file)
        }
        candidates += try Self.results(in: inputs).map { Candidate(names: [$0], file: nil) }
        self.candidates = candidates
    }

    /// The names of the results in a directory of inputs, in their order.
    private static func results(in directory: String) throws(FileFailure) -> [String] {
        guard let stream = opendir(directory) else {
            if errno == ENOENT { return [] }
            throw FileFailure("Cannot read the directory of inputs", directory)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            // At the end of the names, the system leaves it as it is.
            errno = 0
            guard let entry = readdir(stream) else { break }
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            let name = String(decoding: bytes, as: UTF8.self)
            if OwnFile.isOrdinary(directory + "/" + name) { names.append(name) }
        }
        guard errno == 0 else { throw FileFailure("Cannot read the directory of inputs", directory) }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Puts the inputs that a pattern matches into their places.
    ///
    /// - Throws: ``FileFailure``, without a code for a pattern without a match that is not optional, and for two inputs of one place; its
    ///   ``FileFailure/isOfLostContent`` tells that a file is not kept any more.
    /// - Complexity: O(inputs) comparisons, and a few system calls for each match.
    mutating func place(_ pick: InputPick) throws(FileFailure) {
        var hasMatch = false
        for (position, candidate) in candidates.enumerated() where pick.pattern.matches(candidate.names) {
            hasMatch = true
            try place(position, at: pick.path(of: candidate.names))
        }
        guard hasMatch || pick.pattern.isOptional else { throw unmatched(pick) }
    }

    private func unmatched(_ pick: InputPick) -> FileFailure {
        var names = candidates.prefix(Self.mostNamed).map { "\"\($0.path.asShown)\"" }
        if candidates.count > names.count { names.append("\(candidates.count - names.count) more") }
        let present = names.isEmpty ? "it has none" : "it has \(names.joined(separator: ", "))"
        return FileFailure(
            "The operation picks \"\(pick.pattern.text.asShown)\", which matches none of its inputs: \(present). Correct the pattern, or "
                + "end it with \"?\" if it need not match."
        )
    }

    private mutating func place(_ position: Int, at place: String) throws(FileFailure) {
        let bytes = Array(place.utf8)
        if let earlier = placed[bytes] {
            // Two patterns may match one input.
            guard earlier != position else { return }
            throw FileFailure(
                "The operation picks \"\(candidates[earlier].path.asShown)\" and \"\(candidates[position].path.asShown)\" for one place, "
                    + "\"\(place.asShown)\". Choose another place for one of them."
            )
        }
        try makeParents(of: bytes)
        let path = directory + "/" + place
        var status = stat()
        guard lstat(path, &status) != 0 else {
            throw FileFailure(
                "The place \"\(place.asShown)\" of a picked input is a directory with other inputs, or a file of --stdout or --stderr. "
                    + "Choose another place."
            )
        }
        if let file = candidates[position].file {
            try store.link(file, to: path)
        } else {
            try copyResult(candidates[position].path, to: path)
        }
        placed[bytes] = position
    }

    private func copyResult(_ name: String, to path: String) throws(FileFailure) {
        let source = inputs + "/" + name
        let descriptor = OwnFile.open(source, O_RDONLY)
        guard descriptor >= 0 else { throw FileFailure(own: "Cannot read the input", source) }
        defer { closeDescriptor(descriptor) }
        var content: [UInt8] = []
        _ = try FileContent.read(descriptor, named: source) {
            (bytes: UnsafeRawBufferPointer) throws(FileFailure) -> Void in
            content += bytes
        }
        try InputFiles.write(content, to: path)
    }

    /// Makes the directories on the way to a place.
    private mutating func makeParents(of place: [UInt8]) throws(FileFailure) {
        for (end, byte) in place.enumerated() where byte == UInt8(ascii: "/") {
            let parent = Array(place[..<end])
            guard made.insert(parent).inserted else { continue }
            let name = String(decoding: parent, as: UTF8.self)
            let path = directory + "/" + name
            if mkdir(path, 0o755) == 0 { continue }
            let code = errno
            // The files for output may be in it.
            if code == EEXIST, OwnFile.isDirectory(path) { continue }
            guard code != EEXIST else {
                throw FileFailure(
                    "The operation picks inputs into the directory \"\(name.asShown)\", but this place is another input, or a file of "
                        + "--stdout or --stderr. Choose another place for one of them."
                )
            }
            throw FileFailure("Cannot make the directory", path, code: code)
        }
    }
}
