"""The words around notebooks and live examples, in each language."""

WORDS = {
    "en": {
        "output": "Output",
        "data": "Data of this chart",
        "no_script": "This chart is drawn by JavaScript. The table has the same numbers.",
        "download": "Download notebook",
        "open_in": "Open in",
        "ran_with": "ran with",
    },
    "de": {
        "output": "Ausgabe",
        "data": "Daten zu diesem Diagramm",
        "no_script": "JavaScript zeichnet dieses Diagramm. Die Tabelle enthält dieselben Zahlen.",
        "download": "Notebook herunterladen",
        "open_in": "Öffnen in",
        "ran_with": "ausgeführt mit",
    },
    "fr": {
        "output": "Sortie",
        "data": "Données de ce graphique",
        "no_script": "Ce graphique est tracé par JavaScript. Le tableau donne les mêmes nombres.",
        "download": "Télécharger le notebook",
        "open_in": "Ouvrir dans",
        "ran_with": "exécuté avec",
    },
    "ar": {
        "output": "الناتج",
        "data": "بيانات هذا الرسم البياني",
        "no_script": "ترسم شيفرة JavaScript هذا الرسم البياني، وفي الجدول الأعداد نفسها.",
        "download": "تنزيل الدفتر",
        "open_in": "الفتح في",
        "ran_with": "شُغِّل باستخدام",
    },
}
# The decimal separator and the one between thousands, as Plotly wants them.
SEPARATORS = {"en": ".,", "de": ",\u202f", "fr": ",\u202f", "ar": ".,"}

# The buttons of a live example, by what they do.
LIVE_BUTTONS = {
    "en": {"run": "Run", "reset": "Reset", "copy": "Copy", "link": "Link"},
    "de": {
        "run": "Ausführen",
        "reset": "Zurücksetzen",
        "copy": "Kopieren",
        "link": "Link erzeugen",
    },
    "fr": {
        "run": "Exécuter",
        "reset": "Réinitialiser",
        "copy": "Copier",
        "link": "Créer un lien",
    },
    "ar": {"run": "تشغيل", "reset": "إعادة الضبط", "copy": "نسخ", "link": "إنشاء رابط"},
}
# What the scripts in assets/javascripts/live/ say.
LIVE_MESSAGES = {
    "en": {
        "published": "As published",
        "not_run": "Not run yet",
        "loading": "Loading Python…",
        "running": "Running…",
        "editor": "Code of the example",
        "editor_help": "Ctrl+Enter runs the code. To leave the editor by keyboard, press Esc, then "
        "Tab; after Ctrl+M, Tab leaves it at once.",
        "time_limit": "Stopped after 2 seconds. Is there a loop that never ends?",
        "boot_failure": "Python could not be loaded. Check the connection, then try again.",
        "too_much": "The result is too large to be shown.",
        "failure": "Python crashed, probably for lack of memory. The next run starts it afresh.",
        "copied": "Code copied",
        "linked": "Link copied; it stands in the address bar too",
        "not_copied": "The browser does not allow copying.",
        "link_too_long": "The code is too long for a link.",
    },
    "de": {
        "published": "Veröffentlichter Stand",
        "not_run": "Noch nicht ausgeführt",
        "loading": "Python wird geladen …",
        "running": "Der Code läuft …",
        "editor": "Code des Beispiels",
        "editor_help": "Strg+Eingabe führt den Code aus. Um den Editor mit der Tastatur zu "
        "verlassen, drücken Sie Esc und dann Tab; nach Strg+M genügt Tab.",
        "time_limit": "Nach 2\u00a0Sekunden abgebrochen. Gibt es eine Schleife, die nie endet?",
        "boot_failure": "Python ließ sich nicht laden. Prüfen Sie die Verbindung, und führen Sie "
        "den Code dann noch einmal aus.",
        "too_much": "Das Ergebnis ist zu groß, um angezeigt zu werden.",
        "failure": "Python ist abgestürzt, vermutlich aus Speichermangel. Beim nächsten "
        "Ausführen wird es neu gestartet.",
        "copied": "Code kopiert",
        "linked": "Link kopiert; er steht auch in der Adresszeile",
        "not_copied": "Der Browser erlaubt das Kopieren nicht.",
        "link_too_long": "Der Code ist zu lang für einen Link.",
    },
    "fr": {
        "published": "Tel que publié",
        "not_run": "Pas encore exécuté",
        "loading": "Chargement de Python…",
        "running": "Exécution en cours…",
        "editor": "Code de l'exemple",
        "editor_help": "Ctrl+Entrée exécute le code. Pour quitter l'éditeur au clavier, appuyez "
        "sur Échap puis sur Tab\u202f; après Ctrl+M, Tab suffit.",
        "time_limit": "Exécution arrêtée au bout de 2\u00a0secondes. Y a-t-il une boucle sans "
        "fin\u202f?",
        "boot_failure": "Python n'a pas pu être chargé. Vérifiez la connexion, puis exécutez de "
        "nouveau le code.",
        "too_much": "Le résultat est trop volumineux pour être affiché.",
        "failure": "Python s'est arrêté brutalement, sans doute faute de mémoire. Il redémarrera "
        "à la prochaine exécution.",
        "copied": "Code copié",
        "linked": "Lien copié\u202f; il figure aussi dans la barre d'adresse",
        "not_copied": "Le navigateur n'autorise pas la copie.",
        "link_too_long": "Le code est trop long pour un lien.",
    },
    "ar": {
        "published": "كما نُشر",
        "not_run": "لم يُشغَّل بعد",
        "loading": "جارٍ تحميل Python…",
        "running": "جارٍ التشغيل…",
        "editor": "شيفرة المثال",
        "editor_help": "تشغيل الشيفرة: Ctrl+Enter. الخروج من المحرّر بلوحة المفاتيح: Esc ثم Tab، "
        "ويكفي Tab بعد Ctrl+M.",
        "time_limit": "أُوقف التشغيل بعد ثانيتين. أتوجد حلقة لا تنتهي؟",
        "boot_failure": "تعذّر تحميل Python. تحقّق من الاتصال، ثم شغّل الشيفرة مرة أخرى.",
        "too_much": "النتيجة أكبر من أن تُعرَض.",
        "failure": "توقّف Python فجأة، ولعلّ السبب نقص الذاكرة. سيبدأ من جديد عند التشغيل التالي.",
        "copied": "نُسخت الشيفرة",
        "linked": "نُسخ الرابط، وهو في شريط العنوان أيضًا",
        "not_copied": "لا يسمح المتصفّح بالنسخ.",
        "link_too_long": "الشيفرة أطول من أن يتّسع لها رابط.",
    },
}
# What gradvalve.live and gradvalve.graph_drawing say, whose own words are English.
LIVE_WORDS = {
    "en": {},
    "de": {
        "lines": "Liniendiagramm.",
        "bars": "Balkendiagramm.",
        "stacked": "Gestapeltes Balkendiagramm.",
        "points": "{name}: {points}.",
        "point": "{y} bei {x}",
        "range": "{name}: {first} bei {start}; {last} bei {end}; kleinster Wert {lowest}; größter "
        "Wert {highest}.",
        "comma": "; ",  # a comma is a part of numbers
        "graph_loss": "Graph von {loss}; der Wert ist {value}.",
        "graph_gradient": "Gradient für {name}: {gradient}.",
        "graph_unused": "Gradient für {name}: None, denn {loss} hängt nicht davon ab.",
        "graph_hidden": "Gradient für {name}: None, denn {name} ist hinter {nodes} verborgen.",
        "graph_stop": "{name} stoppt den Gradienten.",
        "graph_scale": "{name} multipliziert den Gradienten mit {scale}.",
        "graph_more_valves": "Weitere Ventile: {count}.",
        "graph_coarse": "Es sind zu viele Knoten, um jeden zu beschriften: {count}. Von den "
        "Gradienten an den Kanten ist nur der größte angegeben.",
        "graph_dots": "Quadrate stoppen den Gradienten, Ringe skalieren ihn.",
        "graph_comma": ", ",
    },
    "fr": {
        "lines": "Graphique en courbes.",
        "bars": "Graphique en barres.",
        "stacked": "Graphique en barres empilées.",
        "points": "{name}\u00a0: {points}.",
        "point": "{y} pour {x}",
        "range": "{name}\u00a0: {first} pour {start}, puis {last} pour {end}\u202f; minimum "
        "{lowest}, maximum {highest}.",
        "comma": "\u202f; ",
        "graph_loss": "Graphe de {loss}, dont la valeur est {value}.",
        "graph_gradient": "Gradient par rapport à {name}\u00a0: {gradient}.",
        "graph_unused": "Gradient par rapport à {name}\u00a0: None, car {loss} n'en dépend pas.",
        "graph_hidden": "Gradient par rapport à {name}\u00a0: None, car {name} est caché "
        "par {nodes}.",
        "graph_stop": "{name} bloque le gradient.",
        "graph_scale": "{name} multiplie le gradient par {scale}.",
        "graph_more_valves": "Autres vannes\u00a0: {count}.",
        "graph_coarse": "Trop de nœuds pour les étiqueter tous\u00a0: {count}. Parmi "
        "les gradients des arcs, seul le plus grand est indiqué.",
        "graph_dots": "Les carrés bloquent le gradient, les anneaux le mettent à l'échelle.",
        "graph_comma": ", ",
    },
    "ar": {
        "lines": "رسم بياني خطّي.",
        "bars": "رسم بياني بالأعمدة.",
        "stacked": "رسم بياني بأعمدة مكدّسة.",
        "points": "{name}: {points}.",
        "point": "{y} عند {x}",
        "range": "{name}: {first} عند {start}، و{last} عند {end}؛ أصغر قيمة {lowest}، وأكبر قيمة "
        "{highest}.",
        "comma": "، ",
        "graph_loss": "المخطط الحسابي للعقدة {loss}، وقيمتها {value}.",
        "graph_gradient": "التدرّج بالنسبة إلى {name}: {gradient}.",
        "graph_unused": "التدرّج بالنسبة إلى {name}: None، لأن العقدة {loss} لا تعتمد على {name}.",
        "graph_hidden": "التدرّج بالنسبة إلى {name}: None، لأن {nodes} تُخفي {name}.",
        "graph_stop": "تُوقِف العقدة {name} التدرّج.",
        "graph_scale": "تضرب العقدة {name} التدرّج في {scale}.",
        "graph_more_valves": "عدد الصمامات الأخرى: {count}.",
        "graph_coarse": "العُقَد أكثر من أن تُكتب أسماؤها كلها، وعددها {count}. ولا يُكتب من التدرّجات "
        "على الحواف إلا أكبرها.",
        "graph_dots": "المربّعات تُوقِف التدرّج، والحلقات تحجّمه.",
        "graph_comma": "، ",
    },
}
