@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The files that users have chosen for the streams of an attempt.
struct OutputFiles {
    /// The path for standard output; nil for the worker's own file.
    private let standardOutput: String?
    /// The path for standard error; nil for the worker's own file.
    private let standardError: String?
    private let appendsOutput: Bool
    private let appendsError: Bool
    /// Where relative paths begin; nil for the worker's directory.
    private let directory: String?
    /// The permissions that new files and directories do not get; nil for those of this process.
    private let mask: mode_t?

    /// Finds the files of an attempt; nil if its output goes to the worker's own files.
    ///
    /// - Parameter directory: where the attempt runs; nil for the worker's directory.
    init?(of assigned: AssignedWork, in directory: String?) {
        let (work, assignment) = (assigned.work, assigned.assignment)
        guard work.outputFile != nil || work.errorFile != nil, !assignment.isHook else { return nil }
        let output = work.outputFile.map(OutputFilePath.init)
        let error = work.errorFile.map(OutputFilePath.init)
        func path(_ file: OutputFilePath?) -> String? {
            file?.path(
                of: assignment.operation,
                attempt: assignment.attempt,
                name: assignment.name,
                number: assignment.arrayNumber,
                item: assignment.arrayItem
            )
        }
        (standardOutput, standardError) = (path(output), path(error))
        (appendsOutput, appendsError) = (output?.appends ?? false, error?.appends ?? false)
        self.directory = directory
        mask = work.umask.map { mode_t($0.rawValue) }
    }

    /// Lets an attempt print to the files, with their directories made.
    ///
    /// Two streams with one path share the file. The caller closes the writers of the output, also after an error.
    ///
    /// - Throws: `FileFailure`, with a code only if the host has run out of a resource or a disk is failing.
    func redirect(_ output: inout AttemptOutput) throws(FileFailure) {
        if let standardOutput {
            if isNamedPipe(standardOutput) {
                output.standardOutput.pipe = standardOutput
            } else {
                try replace(&output.standardOutput.writer, by: open(standardOutput, appends: appendsOutput))
            }
        }
        guard let standardError else { return }
        if isNamedPipe(standardError) {
            output.standardError.pipe = standardError
        } else if standardError == standardOutput {
            let copy = fcntl(output.standardOutput.writer, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else { throw failure("Cannot open the file for output", standardError) }
            replace(&output.standardError.writer, by: copy)
        } else {
            try replace(&output.standardError.writer, by: open(standardError, appends: appendsError))
        }
    }

    private func replace(_ writer: inout Int32, by descriptor: Int32) {
        closeDescriptor(writer)
        writer = descriptor
    }

    /// The path as this process has to open it.
    private func place(of path: String) -> String {
        guard !path.hasPrefix("/"), let directory else { return path }
        return directory + "/" + path
    }

    /// Whether a file is a named pipe, for whose reader the commands wait themselves, as under a shell.
    private func isNamedPipe(_ path: String) -> Bool {
        var status = stat()
        return stat(place(of: path), &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    private func open(_ path: String, appends: Bool) throws(FileFailure) -> Int32 {
        let place = place(of: path)
        if !path.hasPrefix("/"), let directory, access(directory, F_OK) != 0 {
            throw failure("Cannot enter directory", directory)
        }
        try makeDirectories(of: place)
        // A file that has become a pipe would otherwise stop the thread that opens it.
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (appends ? 0 : O_TRUNC)
        let descriptor = makeFile(place, flags) ?? UserFile.open(place, flags, 0o666)
        guard descriptor >= 0 else {
            guard errno == ELOOP else { throw failure("Cannot open the file for output", place) }
            throw FileFailure("Cannot open the file for output \"\(place)\": \(UserFile.reason(ELOOP)).")
        }
        guard !UserFile.isTerminal(descriptor) else {
            closeDescriptor(descriptor)
            throw FileFailure("Cannot open the file for output \"\(place)\": it is a terminal of this host.")
        }
        guard fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) == 0 else {
            let failure = failure("Cannot open the file for output", place)
            closeDescriptor(descriptor)
            throw failure
        }
        return descriptor
    }

    /// Opens a file that is not there yet, with the permissions that the operation asks for.
    ///
    /// The operation's file mask is applied by fchmod(2): umask(2) would change the mask of all threads of the worker.
    ///
    /// - Returns: the descriptor; nil if the operation asks for no permissions, and if no file can be made.
    private func makeFile(_ place: String, _ flags: Int32) -> Int32? {
        guard let mask else { return nil }
        let permissions = 0o666 & ~mask
        let descriptor = UserFile.open(place, flags | O_EXCL, permissions)
        guard descriptor >= 0 else { return nil }
        // A file system without permissions gives what it has.
        _ = fchmod(descriptor, permissions)
        return descriptor
    }

    /// Makes the directories in front of the last slash that are missing.
    private func makeDirectories(of path: String) throws(FileFailure) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return }
        let directory = String(path[..<slash])
        if access(directory, F_OK) == 0 { return }
        try makeDirectories(of: directory)
        // The owner may use the directory, as after mkdir -p: files follow.
        let permissions = 0o777 & ~(mask ?? 0) | 0o300
        if mkdir(directory, permissions) == 0 {
            if mask != nil { _ = chmod(directory, permissions) }
        } else if errno != EEXIST {
            throw failure("Cannot make the directory for output", directory)
        }
    }

    /// A failure with the present reason in errno.
    private func failure(_ what: String, _ path: String) -> FileFailure {
        let failure = FileFailure(what, path)
        // Without a code, the failure is that of the operation, and not of its worker.
        return failure.isHostFault ? failure : FileFailure(failure.description)
    }
}
