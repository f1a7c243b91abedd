@_spi(Baton) import BatonOperations

/// The settings of operations and of `defaults`.
struct OperationSettings {
    /// Who says a setting: what an operation says itself comes before the defaults, and these before the reader of the file.
    enum Origin: Comparable {
        case reader, defaults, operation
    }

    /// The settings of which it matters who says them.
    private struct Origins {
        var directory = Origin.reader
        var workspace = Origin.reader
        var outputs = Origin.reader
        var inputs = Origin.reader
        var copies = Origin.reader
    }

    var queue = Submission.defaultQueue
    /// The shell of commands that are given as a line of text; nil for the standard one.
    var shell: CommandShell?
    private var origins = Origins()
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

    /// Notes who has set an option last.
    mutating func note(_ option: OperationOption, by origin: Origin) {
        switch option.number {
        case Self.directory: origins.directory = origin
        case Self.workspace: origins.workspace = origin
        case Self.outputs: origins.outputs = origin
        case Self.inputs: origins.inputs = origin
        case Self.copies: origins.copies = origin
        default: break
        }
    }

    /// The template of operations with these settings.
    ///
    /// An operation's own workspace takes the place of a directory from elsewhere, and its own directory that of a workspace from
    /// elsewhere. Defaults for the files of commands do not concern what has no command, nor those for a workspace what has none.
    func template(for kind: Work.Kind) -> Template {
        var template = template
        template.work.kind = kind
        guard
            template.work.workspace == .fresh || template.work.keepsFiles || template.work.picksInputs
                || template.work.copies > 1
        else { return template }
        switch kind {
        case .commands: break
        case .noOperation, .typed:
            if origins.outputs != .operation { template.work.outputs = [] }
            if origins.inputs != .operation { template.work.picks = [:] }
            if origins.workspace != .operation { template.work.workspace = .shared }
        }
        // Copies by default are for those that leave files.
        if !template.work.keepsFiles, origins.copies != .operation { template.work.copies = 1 }
        if template.work.workspace == .fresh {
            if origins.workspace > origins.directory { template.work.directory = nil }
            if origins.workspace < origins.directory { template.work.workspace = .shared }
        }
        if template.work.workspace == .shared, max(origins.workspace, origins.directory) > origins.inputs {
            template.work.picks = [:]
        }
        return template
    }

    private static let directory = OptionDeclarations.shared.cwd.option.number
    private static let workspace = OptionDeclarations.shared.workspace.option.number
    private static let outputs = OptionDeclarations.shared.outputs.option.number
    private static let inputs = OptionDeclarations.shared.inputs.option.number
    private static let copies = OptionDeclarations.shared.copies.option.number
}
