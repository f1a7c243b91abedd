@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonWire

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The inputs of attempts, as files named after the dependencies (DE20).
enum InputFiles {
    /// Writes inputs into a directory, created with the first input.
    ///
    /// - Throws: `FileFailure`, also for a name that would lead out of the directory.
    static func store(_ inputs: [Input], in directory: String) throws(FileFailure) {
        try makeDirectory(directory)
        for input in inputs {
            if let objection = objection(toName: input.name) { throw FileFailure(objection) }
            try write(input.bytes, to: directory + "/" + input.name)
        }
    }

    /// Removes the stored inputs, also from directories that cannot be written.
    static func remove(_ directory: String) {
        FileTree.remove(directory)
    }

    /// Writes bytes to a file, which replaces an earlier file.
    static func write(_ bytes: [UInt8], to path: String) throws(FileFailure) {
        let descriptor = OwnFile.create(path, O_WRONLY, 0o644)
        guard descriptor >= 0 else { throw FileFailure("Cannot write the input", path) }
        defer { close(descriptor) }
        let code = bytes.withUnsafeBytes { bytes -> Int32 in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
        guard code == 0 else { throw FileFailure("Cannot write the input", path, code: code) }
    }
}

/// A separate name for write(2): inside `InputFiles`, `write` is a method.
private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
    write(descriptor, buffer.baseAddress, buffer.count)
}
