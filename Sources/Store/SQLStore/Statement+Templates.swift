@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// Templates in rows.
extension Statement {
    /// Binds a template to the parameters of ``Statements/insertTemplate``, except for the job and the template's position.
    func bind(_ template: Template) {
        typealias Column = TemplateColumn
        bind(Column.commands, nil)
        bind(Column.type, text: template.work.kind.type)
        bind(Column.argument, nil)
        switch template.work.kind {
        case .commands(let commands): bind(Column.commands, commands: commands)
        case .noOperation: break
        case .typed(_, let argument): bind(Column.argument, textOrBytes: argument)
        }
        let settings = Template.options.settings(of: template) + Work.options.settings(of: template.work)
        bind(Column.settings, text: OptionText.text(of: settings))
    }

    /// Binds programs with their arguments.
    func bind(_ parameter: Int32, commands: [[String]]) {
        bind(parameter, text: JSONValue.array(commands.map { .strings($0) }).text)
    }

    /// The programs with their arguments in a column.
    func commands(_ column: Int32) throws(SQLError) -> [[String]] {
        guard case .array(let elements) = try json(column) else { throw damaged(column) }
        var commands: [[String]] = []
        for element in elements {
            guard let command = element.strings, !command.isEmpty else { throw damaged(column) }
            commands.append(command)
        }
        guard !commands.isEmpty else { throw damaged(column) }
        return commands
    }

    /// The template in the current row.
    func template() throws(SQLError) -> Template {
        typealias Column = TemplateColumn
        var kind = Work.Kind.noOperation
        if !isNull(Column.commands) {
            kind = .commands(try commands(Column.commands))
        } else if let type = try optionalText(Column.type) {
            kind = .typed(type: type, argument: optionalBytes(Column.argument) ?? [])
        }
        var template = Template(work: Work(kind))
        if let settings = try optionalText(Column.settings) { try OptionText.read(settings, into: &template) }
        return template
    }
}
