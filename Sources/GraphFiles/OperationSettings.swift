@_spi(Baton) import BatonOperations

/// The settings of operations and of `defaults`.
struct OperationSettings {
    var queue = Submission.defaultQueue
    /// The shell of commands that are given as a line of text; nil for the standard one.
    var shell: CommandShell?
    /// Whether the file names a working directory; otherwise it is that of the file's reader.
    var hasOwnDirectory = false
    /// The settings that belong to the template; the work is still missing.
    var template = Template(work: Work(.noOperation))
    /// The settings that belong to the entry.
    var entry = Entry()

    /// The settings without any in the file.
    ///
    /// - Parameter directory: the working directory; nil for the directory of the worker.
    init(directory: String? = nil) {
        template.work.directory = directory
    }

    /// The template of operations with these settings.
    func template(for kind: Work.Kind) -> Template {
        var template = template
        template.work.kind = kind
        // The directory of the file's reader is for operations that have none of their own.
        if template.work.workspace == .fresh, !hasOwnDirectory { template.work.directory = nil }
        return template
    }
}
